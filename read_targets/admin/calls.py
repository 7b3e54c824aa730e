"""The log of calls in the admin: found by person, agent, tool, code, id and day, and never written.

It may hold millions: so nothing counts all of it, nothing asks all of it which values there are, and words are looked
up where they are few (people, tokens, tools) before the log is asked by its indexes.
"""

from __future__ import annotations

import datetime as dt
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from django.contrib import admin
from django.contrib.admin.options import IncorrectLookupParameters
from django.contrib.admin.views.main import ChangeList
from django.contrib.auth import get_user_model
from django.core.exceptions import FieldDoesNotExist
from django.core.paginator import Page, Paginator
from django.db.models import Min, Q, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..agent.models import AgentToken, ToolCall
from ..agent.registry import Spoken, spoken
from ..cards.calls import OUTCOMES, Asked, conditions_of, title_of

MOST_PAGED = 10_000
"""Calls that are paged through; those behind are found by day, person, agent or tool."""

SHORT, LONG = 40, 300
"""Characters of a value, and of all conditions, that the list shows; the page of the call shows all that is kept."""

MOST_FOUND = 200
"""People, agents and codes that a word stands for; beyond that it says too little."""

MOST_AGENTS = 50
"""Agents that are offered as a filter; all of them are found by the search."""


class LogPaginator(Paginator):
    """Pages of the newest calls, counted no further than they are paged.

    Few calls are found in whatever order is quickest and sorted here: asked for the newest of them, a database may go
    through the whole log from its end instead.
    """

    @cached_property
    def count(self) -> int:
        """How many calls are paged through."""
        return min(len(self._found), MOST_PAGED)

    @cached_property
    def is_more(self) -> bool:
        """Whether there are more than are paged."""
        return len(self._found) > MOST_PAGED

    def page(self, number: Any) -> Page[Any]:
        """Return the page of that number; raises InvalidPage."""
        if self.is_more:
            return super().page(number)
        number = self.validate_number(number)
        calls: Any = self.object_list
        newest_first = bool(calls.query.order_by) and str(calls.query.order_by[0]).startswith("-")
        places = sorted(self._found, reverse=newest_first)
        keys = [key for _at, key in places[(number - 1) * self.per_page : number * self.per_page]]
        return Page(calls.filter(pk__in=keys), number, self)

    @cached_property
    def _found(self) -> list[tuple[dt.datetime, uuid.UUID]]:
        """The moment and id of each call, up to one more than are paged, in no order."""
        calls: Any = self.object_list
        return list(calls.order_by().values_list("at", "pk")[: MOST_PAGED + 1])


class LogList(ChangeList):
    """The list of calls: each with its conditions as people say them, and with no total where that is not known."""

    page_range: list[Any]

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Any]) -> list[Any]:
        """By the moment alone, whatever the address asks for: no index has the whole log in another order."""
        asked = list(super().get_ordering(request, queryset))
        return asked if asked and asked[0] in ("at", "-at") else ["-at", "-pk"]

    def get_results(self, request: HttpRequest) -> None:
        """Read the page, and say of each call what was asked."""
        super().get_results(request)
        paginator: Any = self.paginator
        self.page_range = list(paginator.get_elided_page_range(self.page_num)) if self.multi_page else []
        if paginator.is_more or not (self.query or self.has_active_filters):
            # Beside the box of words their number stands where it differs from this.
            self.full_result_count = self.result_count
        words = words_in(request)
        self.result_list = paginator.page(self.page_num).object_list
        for call in self.result_list:
            call.said = conditions_of(call, words)


class DayFilter(admin.ListFilter):
    """From one day to another, both included, in the site's time zone."""

    title = gettext_lazy("day")
    template = "read_targets/admin/_days.html"
    _names = ("from", "to")

    def __init__(self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: Any) -> None:
        super().__init__(request, params, model, model_admin)
        for name in self._names:
            if name in params:
                given = params.pop(name)
                self.used_parameters[name] = given[-1] if isinstance(given, list) else given

    def has_output(self) -> bool:
        """Always: there is always a day to choose."""
        return True

    def expected_parameters(self) -> list[str | None]:
        """The names of both days in the address."""
        return list(self._names)

    def choices(self, changelist: Any) -> Iterator[dict[str, Any]]:
        """The spans that are most asked for, each as a link."""
        today = timezone.localdate()
        spans = {_("Any date"): None, _("Today"): 0, _("Past 7 days"): 6, _("Past 30 days"): 29}
        for text, days in spans.items():
            first = "" if days is None else (today - dt.timedelta(days=days)).isoformat()
            chosen = {"from": first} if first else {}
            query = changelist.get_query_string(chosen, self._names)
            yield {"selected": self.used_parameters == chosen, "query_string": query, "display": text}

    def others(self) -> list[tuple[str, str]]:
        """What else the address says, which the form of the two days keeps."""
        kept = self.request.GET
        return [(name, value) for name in kept if name not in (*self._names, "p") for value in kept.getlist(name)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[ToolCall]) -> QuerySet[ToolCall]:
        """The calls of those days; raises IncorrectLookupParameters for what is no day."""
        first, last = (self._day(name) for name in self._names)
        if first is not None:
            queryset = queryset.filter(at__gte=_midnight(first))
        if last is not None:
            queryset = queryset.filter(at__lt=_midnight(last + dt.timedelta(days=1)))
        return queryset

    def _day(self, name: str) -> dt.date | None:
        given = str(self.used_parameters.get(name, ""))
        try:
            day = dt.date.fromisoformat(given) if given else None
        except ValueError as no_day:
            raise IncorrectLookupParameters(no_day) from None
        if day is not None and not 1900 < day.year < 9999:
            raise IncorrectLookupParameters(given)
        return day


class OutcomeFilter(admin.SimpleListFilter):
    """What came of the call."""

    title = gettext_lazy("outcome")
    parameter_name = "outcome"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Every outcome that there is, whether the log has it or not."""
        return [(outcome, outcome) for outcome in OUTCOMES]

    def queryset(self, request: HttpRequest, queryset: QuerySet[ToolCall]) -> QuerySet[ToolCall]:
        """The calls that came to it."""
        return queryset.filter(outcome=self.value()) if self.value() else queryset


class ToolFilter(admin.SimpleListFilter):
    """The tool, of those that there are now; others are found by the search."""

    title = gettext_lazy("tool")
    parameter_name = "tool"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Every tool by its name."""
        return [(name, name) for name in sorted(words_in(request))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[ToolCall]) -> QuerySet[ToolCall]:
        """The calls of it."""
        return queryset.filter(tool=self.value()) if self.value() else queryset


class AgentFilter(admin.SimpleListFilter):
    """The agent, of those that hold a token; all others are found by the search."""

    title = gettext_lazy("agent")
    parameter_name = "agent"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """The agents by name, and the person without one."""
        names = AgentToken.objects.order_by("name").values_list("name", flat=True).distinct()[:MOST_AGENTS]
        return [("-", _("none, the person themselves")), *((name, name) for name in names)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[ToolCall]) -> QuerySet[ToolCall]:
        """The calls through it."""
        chosen = self.value()
        return queryset.filter(agent="" if chosen == "-" else chosen) if chosen else queryset


class PreviewFilter(admin.SimpleListFilter):
    """Whether an admin looked through the person's eyes."""

    title = gettext_lazy("preview")
    parameter_name = "preview"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        """Previews, and all else."""
        return [("yes", _("Previews by admins")), ("no", _("Calls of agents and people"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[ToolCall]) -> QuerySet[ToolCall]:
        """The previews, or what is none."""
        return queryset.filter(previewed_by__isnull=self.value() == "no") if self.value() else queryset


@admin.register(ToolCall)
class ToolCallAdmin(admin.ModelAdmin):
    """The log of calls. Nobody adds, changes or deletes one; they go when they are past their time."""

    list_display = ("at", "user", "through", "asked", "came", "rows", "took")
    list_filter = (DayFilter, OutcomeFilter, ToolFilter, AgentFilter, PreviewFilter)
    list_select_related = ("user", "previewed_by")
    list_display_links = ("at",)
    sortable_by = ("at",)
    list_per_page = 100
    list_max_show_all = 0
    actions = None
    # Counts beside the filters would each ask for the whole log.
    show_facets = admin.ShowFacets.NEVER
    show_full_result_count = False
    paginator = LogPaginator
    change_list_template = "read_targets/admin/calls.html"
    search_help_text = gettext_lazy("A person, an agent, a tool, a code, or the id of a call.")
    # Shows the box; what is looked for is said below.
    search_fields = ("id",)
    fields = (
        *("id", "at", "user", "agent", "token", "previewed_by", "tool", "title"),
        *("asked_all", "outcome", "code", "rows", "milliseconds"),
    )
    readonly_fields = fields

    class Media:
        css = {"all": ("read_targets/admin/targets.css",)}

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Never: the log writes itself."""
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: calls go when they are past the days that they are kept."""
        return False

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        """The list that counts no further than it must."""
        return LogList

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[ToolCall], search_term: str
    ) -> tuple[QuerySet[ToolCall], bool]:
        """The calls that every word of `search_term` is about."""
        for word in search_term.split():
            queryset = queryset.filter(about(word, words_in(request)))
        return queryset, False

    @admin.display(description=gettext_lazy("through"))
    def through(self, call: ToolCall) -> str:
        """The agent, or the admin who looked as the person."""
        if call.previewed_by is not None:
            return _("preview by %(admin)s") % {"admin": call.previewed_by.get_username()}
        return str(call.agent)

    @admin.display(description=gettext_lazy("tool, for people"))
    def title(self, call: ToolCall) -> str:
        """What people call the tool."""
        return title_of(call, spoken())

    @admin.display(description=gettext_lazy("tool and conditions"))
    def asked(self, call: Any) -> SafeString | str:
        """The tool, and the conditions in a line."""
        if not call.said:
            return str(call.tool)
        return format_html('{} <span class="read-targets-quiet">{}</span>', call.tool, _as_line(call.said))

    @admin.display(description=gettext_lazy("conditions"))
    def asked_all(self, call: ToolCall) -> SafeString | str:
        """The conditions one by one."""
        return _as_list(conditions_of(call, spoken()))

    @admin.display(description=gettext_lazy("outcome"))
    def came(self, call: ToolCall) -> SafeString | str:
        """The outcome, and the code where there is one, without the name of its app."""
        if not call.code:
            return str(call.outcome)
        code = call.code.rpartition(".")[2]
        return format_html('{} <span class="read-targets-quiet">{}</span>', call.outcome, code)

    @admin.display(description=gettext_lazy("ms"))
    def took(self, call: ToolCall) -> int:
        """How many milliseconds it took."""
        return int(call.milliseconds)


def words_in(request: HttpRequest) -> Mapping[str, Spoken]:
    """Return every tool in people's words, asked for once in a request."""
    known: Mapping[str, Spoken] | None = request.__dict__.get("_spoken")
    if known is None:
        known = request.__dict__["_spoken"] = spoken()
    return known


def about(word: str, words: Mapping[str, Spoken]) -> Q:
    """Return what a call must be that `word` is about: its id, its person, agent, tool or code.

    Of names a part is enough, as far as they are of a person, a token, a tool or a code that there is; of agents and
    tools that are gone it must be the whole name.
    """
    try:
        return Q(pk=uuid.UUID(word))
    except ValueError:
        pass
    part = word.casefold()
    tools = {one.name for one in words.values() if part in one.name.casefold() or part in one.title.casefold()}
    agents = AgentToken.objects.filter(name__icontains=word).values_list("name", flat=True).distinct()[:MOST_FOUND]
    found = Q(tool__in=[*sorted(tools), word]) | Q(agent__in=[*agents, word])
    if codes := [code for code in _codes() if part in code]:
        found |= Q(code__in=codes)
    if people := list(_people(word).values_list("pk", flat=True)[:MOST_FOUND]):
        found |= Q(user__in=people)
    return found


def _people(word: str) -> QuerySet[Any]:
    """The people whose name, as they sign in or as they are called, has `word` in it."""
    model: Any = get_user_model()
    found = Q()
    for name in {model.USERNAME_FIELD, "first_name", "last_name"}:
        try:
            model._meta.get_field(name)
        except FieldDoesNotExist:
            continue
        found |= Q(**{f"{name}__icontains": word})
    people: QuerySet[Any] = model._default_manager.filter(found)
    return people


def _codes() -> Iterator[str]:
    """The codes that the log has, each found by its index behind the one before; there are a few dozen at most."""
    code: str | None = ""
    for _place in range(MOST_FOUND):
        code = ToolCall.objects.filter(code__gt=code).aggregate(next=Min("code"))["next"]
        if code is None:
            return
        yield code


def _midnight(day: dt.date) -> dt.datetime:
    return timezone.make_aware(dt.datetime.combine(day, dt.time.min))


def _as_line(conditions: list[Asked]) -> str:
    line = " · ".join(f"{one.label}: {Truncator(one.value).chars(SHORT)}" for one in conditions)
    return Truncator(line).chars(LONG)


def _as_list(conditions: list[Asked]) -> SafeString | str:
    if not conditions:
        return "–"
    return format_html(
        '<dl class="read-targets-asked">{}</dl>',
        format_html_join("", "<dt>{}</dt><dd>{}</dd>", ((one.label, one.value) for one in conditions)),
    )
