"""Pages and their commands in the Django admin: declared, tried as a person, granted; and what happened with them."""

from . import commands, live, pages  # noqa: F401  # importing registers them
