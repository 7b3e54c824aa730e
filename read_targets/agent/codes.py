"""Every code of a refusal, append-only, with the outcome it belongs to and what may be done next.

The next actions are those of seed 001; `docs/codes.md` shows this table, and a test holds the two together.
"""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """The codes of this app, namespaced as the contract asks."""

    UNKNOWN_TOOL = "read_targets.unknown_tool"
    UNKNOWN_TOOLSET = "read_targets.unknown_toolset"
    NO_CREDENTIAL = "read_targets.no_credential"
    BAD_CREDENTIAL = "read_targets.bad_credential"
    NOT_PERMITTED = "read_targets.not_permitted"
    NOT_FOUND = "read_targets.not_found"
    METHOD_NOT_ALLOWED = "read_targets.method_not_allowed"
    DOORS_CLOSED = "read_targets.doors_closed"
    AGENTS_STOPPED = "read_targets.agents_stopped"
    TOKEN_MAY_NOT_ACT = "read_targets.token_may_not_act"  # noqa: S105  # a code, not a secret
    BODY_UNREADABLE = "read_targets.body_unreadable"
    BODY_TOO_LARGE = "read_targets.body_too_large"
    ARGUMENT_UNKNOWN = "read_targets.argument_unknown"
    CONDITION_UNREADABLE = "read_targets.condition_unreadable"
    NO_SCREEN = "read_targets.no_screen"
    SCREEN_UNREACHABLE = "read_targets.screen_unreachable"
    QUERY_FAILED = "read_targets.query_failed"
    TOO_SLOW = "read_targets.too_slow"
    DATABASE_UNAVAILABLE = "read_targets.database_unavailable"
    TOO_MANY = "read_targets.too_many"
    INTERNAL = "read_targets.internal"
    BOUNDED_READ = "read_targets.bounded_read"
    VALUES_WITHHELD = "read_targets.values_withheld"
    CARD_UNAVAILABLE = "read_targets.card_unavailable"
    CARD_REFUSED = "read_targets.card_refused"
    CARD_STALE = "read_targets.card_stale"
    CLICK_NOT_PROVEN = "read_targets.click_not_proven"
    KEY_REUSED = "read_targets.key_reused"
    KEY_IN_USE = "read_targets.key_in_use"
    TOO_MANY_READS = "read_targets.too_many_reads"
    CALLER_LEFT = "read_targets.caller_left"
    SCOPE_MISSING = "read_targets.scope_missing"
