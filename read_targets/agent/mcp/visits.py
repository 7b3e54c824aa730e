"""What one request over MCP says: who asks, within which toolset, at which address, and what exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ...policies import Actor
from ..headers import KEY, LONGEST_WAIT, key_in

META_KEY = "read-targets/idempotencyKey"
"""Where a call that acts says in its `_meta` under which key it runs once."""

META_WAIT = "read-targets/wait"
"""Where a call says in its `_meta` how many seconds it waits for a person, 30 at most."""


@dataclass(frozen=True)
class Visit:
    """One request. `site` is the address of the site as the caller sees it, `message` the body with exact numbers."""

    actor: Actor
    toolset: str
    site: str
    message: Any

    @property
    def method(self) -> str:
        """The method that is asked for."""
        method = self.message.get("method") if isinstance(self.message, Mapping) else None
        return method if isinstance(method, str) else ""

    @property
    def tool(self) -> str:
        """The name of the tool that is called."""
        name = self._params.get("name")
        return name if isinstance(name, str) else ""

    @property
    def arguments(self) -> Any:
        """The arguments of the tool that is called, none where there are none."""
        given = self._params.get("arguments")
        return {} if given is None else given

    def key(self) -> str:
        """The key under which the call runs once, empty where there is none; raises Refused where it is no key."""
        key = self._meta.get(META_KEY)
        if key is None:
            return ""
        return key_in({KEY: key if isinstance(key, str) else ""})

    @property
    def wait(self) -> float:
        """How many seconds the call waits for a person; what cannot be read is no wish to wait."""
        return seconds(self._meta.get(META_WAIT))

    @property
    def _params(self) -> Mapping[str, Any]:
        params = self.message.get("params") if isinstance(self.message, Mapping) else None
        return params if isinstance(params, Mapping) else {}

    @property
    def _meta(self) -> Mapping[str, Any]:
        meta = self._params.get("_meta")
        return meta if isinstance(meta, Mapping) else {}


def seconds(asked: Any) -> float:
    """Return a wish to wait as seconds within what a call may wait; none where it is no number."""
    if isinstance(asked, bool) or not isinstance(asked, (int, Decimal)):
        return 0.0
    return float(max(0, min(asked, LONGEST_WAIT)))
