"""The site that runs here: settings, routes, the root of its GraphQL, and the sample company in ``project.demo``."""
