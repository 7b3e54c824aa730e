"""A sample company, one module a story: its ledger, its drilling and its software factory."""
