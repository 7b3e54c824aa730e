"""Every code of this app's refusals, append-only; `docs/codes.md` shows each with its outcome and next action."""

from __future__ import annotations

from enum import StrEnum


class Code(StrEnum):
    """The codes of page commands, namespaced as the contract asks."""

    UNLISTED_COMMAND = "page_commands.unlisted_command"
    TAKES_NO_OBJECT = "page_commands.takes_no_object"
    OBJECT_UNREADABLE = "page_commands.object_unreadable"
    INPUT_MISSING = "page_commands.input_missing"
    INPUT_NOT_PERMITTED = "page_commands.input_not_permitted"
    PARAMETERS_UNREADABLE = "page_commands.parameters_unreadable"
    BUSY = "page_commands.busy"
    NO_PAGE = "page_commands.no_page"
    WHICH_PAGE = "page_commands.which_page"
    REFUSED_BY_RULES = "page_commands.refused_by_rules"
    NOT_PRESENTABLE = "page_commands.not_presentable"
    WAITING_FOR_PERSON = "page_commands.waiting_for_person"
    DECLINED = "page_commands.declined"
    CONFIRMATION_EXPIRED = "page_commands.confirmation_expired"
    PAGE_CLOSED = "page_commands.page_closed"
    SUPERSEDED = "page_commands.superseded"
    AGENT_STOPPED = "page_commands.agent_stopped"
    ALREADY_DECIDED = "page_commands.already_decided"
    OBJECT_CHANGED = "page_commands.object_changed"
    PAGE_CHANGED = "page_commands.page_changed"
    COMMAND_CHANGED = "page_commands.command_changed"
    OUTCOME_UNKNOWN = "page_commands.outcome_unknown"
    RUN_FAILED = "page_commands.run_failed"
