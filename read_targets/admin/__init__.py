"""Read targets in the Django admin: declared, previewed as a person, granted; and the doors of agents."""

from . import agents, calls, targets  # noqa: F401  # importing registers them
