"""Read targets: an application's lists, readable by an agent as the person it acts for."""
