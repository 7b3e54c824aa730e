"""What every agent tool shares: the contract, the registry, the dispatcher, the doors, tokens and toolsets.

An app of its own that offers tools takes what it needs of the lists' values and transactions from here.
"""

from ..lists import Argument, Unreadable, plain, snapshot, writing

__all__ = ["Argument", "Unreadable", "plain", "snapshot", "writing"]
