"""The tools of a read target: `query…` reads the list, `open…Screen` offers the application's own screen of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Literal

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from .agent.codes import Code
from .agent.contract import CardFacts, NextAction, ReadyResult, Refused
from .agent.labels import text_of
from .agent.refusals import query_failed, refuse_arguments
from .agent.registry import Answered, Call, Condition, Spoken, Tool, register_provider
from .cards.addresses import ForeignAddress, own_address
from .cards.making import make_open_page
from .cards.sources import register_source
from .criteria import NOT_CONDITIONS, arguments_of
from .declaration.soundness import is_screen_sound
from .digest import MODEL_ROWS, Keep, Wish, order_terms
from .doors import queryable
from .envelope import result_of, scope_of
from .foreign import ListUnreadable
from .keeping import TargetSource, conditions_said, keep_workspace
from .lists import Argument, Order, UnknownList, get_list
from .models import ReadTarget
from .policies import Actor, access_of
from .preferences import zone_of
from .reading import read
from .screens import NoScreen, address_of

LONGEST_DESCRIPTION = 1_000
"""Characters of a tool's description; OpenAI refuses longer ones from 1,024 on."""

WORDS = frozenset({"text"})
"""The arguments that are what somebody searches for."""

READING = (
    "To answer from a list, call its query tool with the conditions the question names. Say only numbers that it "
    "returns and never add up rows: use its sums, groups and rest.",
    "With isComplete false say how many of how many were read, never call such sums a total, ask to narrow.",
    "A long result goes on a workspace, a page of the person's; show asks for one or for none, title is in the "
    "person's language, and the same name again makes its next version.",
)
OFFERING = (
    "When the person wants to work on the records themselves, call the list's open tool, which offers its screen, and "
    "say which conditions the card does not apply."
)
"""What holds for every list; each of these lines is told once, before the lists' own."""

_KEPT: dict[str | None, Keep] = {None: "long", "workspace": "always", "answer": "never"}


class TargetTools:
    """The tools of every enabled target that the person may query and whose list's door is open to them."""

    name = "read_targets"

    def tool_keys(self) -> Iterable[tuple[str, str]]:
        """Every target's key, for toolsets."""
        return [(target.key, f"{target} ({target.key})") for target in ReadTarget.objects.all()]

    def tools(self, actor: Actor) -> Sequence[Tool]:
        """Both tools of each target, a target without a screen having one."""
        return [tool for target in queryable(actor) for tool in tools_of_target(target)]

    def tool(self, actor: Actor, name: str) -> Tool | None:
        """The tool of that name, or None."""
        if not name.startswith(("query", "open")):
            return None
        make = query_tool if name.startswith("query") else screen_tool
        return next((_once(target, make) for target in queryable(actor, name)), None)

    def spoken(self) -> Iterable[Spoken]:
        """Both tools of every target, by the labels that admins gave."""
        targets = ReadTarget.objects.prefetch_related("criteria")
        return [one for target in targets for one in spoken_of(target)]


def _once(target: ReadTarget, make: Callable[[ReadTarget], Tool | None]) -> Tool | None:
    """What is made of a target that all calls share, made once for each language, list and state of its screen."""
    made = target.__dict__.setdefault("_tools", {})
    on = (make, get_language(), has_screen(target), None if target.is_foreign else get_list(target.list_query))
    if on not in made:
        made[on] = make(target)
    tool: Tool | None = made[on]
    return tool


def tools_of_target(target: ReadTarget) -> list[Tool]:
    """Return the target's tools as agents see them."""
    return [tool for tool in (query_tool(target), screen_tool(target)) if tool is not None]


def query_tool(target: ReadTarget) -> Tool:
    """Return the tool that reads the list."""
    said = f"Read {described(target)}: count, sums, groups (dates by month), rows. Never sum rows."
    grouped, sortable = columns_for(target, "grouped"), columns_for(target, "sorted")
    # Vendors refuse an enum without values.
    by = (Argument("groupBy", "enum", values=grouped),) if grouped else ()
    order = (Argument("orderBy", "string", orders_said(sortable, grouped)),) if sortable else ()
    return Tool(
        key=target.key,
        name=target.query_tool_name,
        title=str(target),
        description=said[:LONGEST_DESCRIPTION],
        short_description=target.short_description or f"Read {target.model_name or target.key}.",
        tool_class="BACKEND_QUERY",
        tags=tuple(target.tag_list),
        arguments=(
            *arguments_of(target),
            *by,
            *order,
            Argument("rows", "integer", minimum=Decimal(0), maximum=Decimal(MODEL_ROWS)),
            Argument("show", "enum", "title, name: workspace's", ("answer", "workspace")),
            Argument("title", "string"),
            Argument("name", "string"),
        ),
        run=lambda call: run_query(target, call),
        guidance=guidance_of(target),
        conditions=tuple(one.name for one in arguments_of(target)),
        words=WORDS,
    )


def screen_tool(target: ReadTarget) -> Tool | None:
    """Return the tool that offers the list's screen, or None where the target has none that can be opened."""
    if not has_screen(target):
        return None
    arguments = tuple(one for one in arguments_of(target) if one.name != "id")
    taken = {parameter.criterion for parameter in target.screen_parameters.all()}
    missed = ", ".join(one.name for one in arguments if one.name not in taken)
    said = (
        f"Offer the person the screen; conditions as in {target.query_tool_name}{f' but {missed}' if missed else ''}."
    )
    return Tool(
        key=target.key,
        name=target.screen_tool_name,
        title=text_of(target.screen_label, str(target)),
        description=said[:LONGEST_DESCRIPTION],
        short_description=f"Offer the screen of {target.model_name or target.key}.",
        tool_class="BACKEND_QUERY",
        tags=tuple(target.tag_list),
        arguments=arguments,
        arguments_as=target.query_tool_name,
        run=lambda call: run_screen(target, call),
        guidance=guidance_of(target),
        conditions=tuple(one.name for one in arguments_of(target) if one.name != "id"),
        words=WORDS,
    )


def spoken_of(target: ReadTarget) -> list[Spoken]:
    """Return the target's tools in the words of people."""
    conditions = {one.name: Condition(text_of(one.label, one.name), one.kind) for one in target.criteria.all()}
    conditions |= {"id": Condition(_("record")), "text": Condition(_("words"))}
    told = [Spoken(target.query_tool_name, str(target), conditions)]
    if target.screen:
        screen = text_of(target.screen_label, _("Screen of %(list)s") % {"list": target})
        told.append(Spoken(target.screen_tool_name, screen, conditions))
    return told


def has_screen(target: ReadTarget) -> bool:
    """Whether the target has a screen that can be opened."""
    return bool(target.screen) and is_screen_sound(target)


def described(target: ReadTarget) -> str:
    """Return what the target's records are, as part of a sentence."""
    return target.description.strip().rstrip(".") or f"the {target.model_name or target.key}"


def orders_said(sortable: Sequence[str], grouped: Sequence[str]) -> str:
    """Return how an order is written, with the columns where they are not those of `groupBy`."""
    example = f"like {',-'.join(sortable[:2])}"
    return example if sortable == grouped else f"{', '.join(sortable)}; {example}"


def columns_for(target: ReadTarget, use: Literal["grouped", "sorted"]) -> tuple[str, ...]:
    """Return the columns that the list lets be used so; one of another shape does not say, so all of its columns."""
    columns = tuple(target.columns.all())
    if target.is_foreign:
        return tuple(column.name for column in columns if column.has_values)
    allowed = getattr(get_list(target.list_query), use)
    return tuple(column.name for column in columns if column.list_path in allowed)


def guidance_of(target: ReadTarget) -> str:
    """Return how the tools of a target are used well, for the model: the rules of all targets, then its own line."""
    if not has_screen(target):
        return "\n".join((*READING, f"- {target.key}: {target.query_tool_name}"))
    return "\n".join((*READING, OFFERING, f"- {target.key}: {target.query_tool_name}, {target.screen_tool_name}"))


def run_query(target: ReadTarget, call: Call) -> Answered:
    """Read the list as the caller's person and answer its figures; a long result also goes on a workspace."""
    arguments = dict(call.arguments)
    wish = Wish(
        group_by=arguments.get("groupBy"),
        order=order_asked(target, arguments.get("orderBy", "")),
        limit=arguments.get("rows", MODEL_ROWS),
        keep=_KEPT[arguments.get("show")],
    )
    access, zone = access_of(call.actor), zone_of(call.actor.user)
    values = {name: value for name, value in arguments.items() if name not in NOT_CONDITIONS}
    try:
        digest = read(target, values, access, zone, wish)
    except (ListUnreadable, UnknownList):
        raise query_failed() from None
    result = result_of(target, call, values, zone, wish, digest)

    def store(stored: Call) -> CardFacts:
        return keep_workspace(target, stored, values, arguments, zone, wish, digest)

    return Answered(result, digest.total, store if wish.keeps(digest.analysed) else None)


def order_asked(target: ReadTarget, order_by: str) -> tuple[Order, ...]:
    """Return the order that `orderBy` asks for; raises Refused naming the columns that there are."""
    columns = columns_for(target, "sorted")
    order = order_terms(order_by)
    if any(one.path not in columns for one in order):
        facts = {"code": "not_one_of", "type": "string", "format": "column or -column", "values": list(columns)}
        raise refuse_arguments({"orderBy": facts})
    return order


def run_screen(target: ReadTarget, call: Call) -> Answered:
    """Offer the card of the list's screen with the conditions it takes; reads nothing of the list."""
    values = dict(call.arguments)
    try:
        address = address_of(target, values)
    except NoScreen:
        raise Refused(
            "REJECTED", Code.NO_SCREEN, "This list has no screen to open.", next_action=NextAction(type="CONFIGURE_APP")
        ) from None
    try:
        own_address(address.href)
    except ForeignAddress:
        raise Refused(
            "REJECTED",
            Code.SCREEN_UNREACHABLE,
            "With these conditions the screen's address is too long, or leads nowhere.",
            next_action=NextAction(type="CHANGE_SCOPE"),
        ) from None
    missed = f" The screen does not take {', '.join(address.not_applied)}: say so." if address.not_applied else ""
    result = ReadyResult(
        success=True,
        outcome="READY",
        tool_name=call.tool_name,
        call_id=call.id,
        message=f"The card opens the screen when the person clicks it.{missed}",
        scope=scope_of(target, values, zone_of(call.actor.user)),
    )
    said = conditions_said(target, values)

    def store(stored: Call) -> CardFacts:
        return make_open_page(
            stored,
            source=target.key,
            label=target.screen_label or target.label,
            title="",
            href=address.href,
            applied=address.applied,
            not_applied=[one for one in said if one["name"] in address.not_applied],
            conditions=[one for one in said if one["name"] in address.applied],
        )

    return Answered(result, None, store)


register_provider(TargetTools())
register_source(TargetSource())
