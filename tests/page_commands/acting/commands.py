"""Registers the code where this app is installed, as the modules of that name do in an application."""

from __future__ import annotations

from .code import register

register()
