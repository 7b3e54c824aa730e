"""Page commands: what an agent may do on the page a person has open."""

from .code import command_handler, command_rule, confirm_when, page_view
from .context import CommandContext, CommandRefused

__all__ = ["CommandContext", "CommandRefused", "command_handler", "command_rule", "confirm_when", "page_view"]
