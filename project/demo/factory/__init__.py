"""The software factory of the sample company: tenants, their projects, git connections and conversations."""
