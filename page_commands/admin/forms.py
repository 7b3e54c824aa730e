"""The forms of a command and of a page; what is wrong with them, rows included, is said at the field with what fits."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..declaration.declared import rows
from ..declaration.soundness import Problem, problems_of, problems_of_page
from ..models import AgentCommand, Page
from . import choices
from .row_forms import StepForm
from .whole import Whole, WholeForm

LONGEST_KEY = 19
"""Digits of a key that every database takes."""


class CommandForm(WholeForm):
    """A command."""

    class Meta:
        model = AgentCommand
        fields = (
            *("page", "name", "label", "description", "position", "enabled"),
            *("input_type", "input_description", "input_channel", "input_permission"),
            *("confirmation", "confirmation_condition", "confirm_clicks"),
            *("confirmation_title", "confirmation_message", "confirmation_button"),
        )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "input_type" not in self.fields:
            # Somebody who may only look has no fields.
            return
        page = self.chosen_page
        if self.whole is not None:
            self.whole.page = page
        choices.offer(self, "input_type", choices.types(_("none: it takes no object")))
        choices.offer(self, "input_channel", choices.channels(rows(page, "channels"), _("none: one must be passed")))
        choices.offer(self, "input_permission", choices.permissions())
        choices.offer(self, "confirmation_condition", choices.codes("condition", _("none")))

    @property
    def chosen_page(self) -> Page | None:
        """The page that is chosen in the form, with its channels and views."""
        asked = (
            self.data.get(self.add_prefix("page"))
            if self.is_bound
            else self.get_initial_for_field(self.fields["page"], "page")
        )
        key = str(getattr(asked, "pk", asked) or "")
        if not (key.isascii() and key.isdecimal() and len(key) < LONGEST_KEY):
            return None
        return Page.objects.prefetch_related("channels", "views").filter(pk=key).first()

    def problems(self, whole: Whole) -> Iterable[Problem]:
        """What is wrong with the command as it was filled in."""
        steps = [(form.instance, form.said) for form in whole.row_forms("steps") if isinstance(form, StepForm)]
        return problems_of(self.instance, parameters=whole.rows("parameters"), rules=whole.rows("rules"), steps=steps)


class PageForm(WholeForm):
    """A page."""

    class Meta:
        model = Page
        fields = ("key", "label", "description", "enabled")
        help_texts = {"key": gettext_lazy("The application and the page, like factory.start.")}

    def problems(self, whole: Whole) -> Iterable[Problem]:
        """What is wrong with the page as it was filled in."""
        return problems_of_page(self.instance, channels=whole.rows("channels"), views=whole.rows("views"))
