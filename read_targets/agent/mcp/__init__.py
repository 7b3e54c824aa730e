"""The MCP door, on the official SDK (the extra `mcp`): protocols 2026-07-28 and 2025-11-25, stateless.

A host mounts it in its `asgi.py`. Only then is the SDK imported, which takes about a second and 67 MB.
"""

from __future__ import annotations

from .mounting import ASGIApplication, Mounted

__all__ = ["mount_mcp"]


def mount_mcp(application: ASGIApplication, path: str = "/mcp") -> ASGIApplication:
    """Return `application` with the MCP door at `path`, with and without its slash; all else passes on to it.

    Raises ImproperlyConfigured where the extra `mcp` is not installed.
    """
    from django.core.exceptions import ImproperlyConfigured

    try:
        from .answering import answer
    except ModuleNotFoundError as missing:
        if (missing.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
            raise
        raise ImproperlyConfigured(
            "The MCP door needs its SDK: install django-read-targets[mcp], or do not mount it."
        ) from missing
    return Mounted(application, path, answer)
