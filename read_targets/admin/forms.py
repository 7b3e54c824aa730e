"""The forms of a target itself: the short one that proposes everything, and the whole one."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from ..declaration.document import NoSchema, document_of
from ..declaration.proposal import Proposal, check, propose
from ..declaration.shapes import ListShape, shape_of
from ..declaration.soundness import problems_of
from ..models import ReadTarget
from . import choices

KEY_HINT = _("The application and the record, like ledger.cash-transactions; the tools are named after it.")
"""How a key is written, without the angle brackets that a page would take for a tag."""

ORDER_TERMS = 3
"""Terms that an order may have in the form; the key ends every order anyway."""


class AddListForm(forms.ModelForm):
    """Asks for a key and a list alone; `proposal` holds everything that follows from the list once it is valid.

    One choice is a list of another shape, from which nothing follows; the admin then asks for the whole of it.
    """

    list_query = forms.ChoiceField(label=_("List"), help_text=_("The list, with what it is called in GraphQL."))

    class Meta:
        model = ReadTarget
        fields = ("list_query", "key")
        help_texts = {"key": KEY_HINT}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        other = (choices.OTHER_SHAPE, _("a list of another shape, read through a GraphQL document…"))
        self.fields["list_query"].choices = [("", "---------"), *choices.lists(), other]  # type: ignore[attr-defined]
        self.proposal: Proposal | None = None

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]  # django-stubs leaves it out
        if not self.errors:
            try:
                self.proposal = propose(self.instance)
                check(self.instance, self.proposal)
            except ValidationError as error:
                self.add_error(None, error.messages)


class OrderWidget(forms.MultiWidget):
    """A select for each term of an order."""

    def __init__(self, offered: choices.Choices) -> None:
        super().__init__([forms.Select(choices=offered) for _term in range(ORDER_TERMS)])

    def decompress(self, value: str | None) -> list[str]:
        """Split the stored order into its terms."""
        return [*(value or "").split(), *[""] * ORDER_TERMS][:ORDER_TERMS]


class OrderField(forms.MultiValueField):
    """An order over what the list sorts by, stored as its terms with spaces between; terms are judged as a whole."""

    def __init__(self, paths: tuple[str, ...], stored: str, **kwargs: Any) -> None:
        gone = [term for term in stored.split() if term.removeprefix("-") not in paths]
        offered = [*choices.orders(paths), *choices.plain(gone)]
        fields = [forms.CharField(required=False) for _term in range(ORDER_TERMS)]
        super().__init__(fields, widget=OrderWidget(offered), require_all_fields=False, required=False, **kwargs)

    def compress(self, data_list: list[str]) -> str:
        """Join the terms."""
        return " ".join(term for term in data_list or [] if term)


class ReadTargetForm(forms.ModelForm):
    """A whole target; what is wrong with it, rows apart, is said at the field with what would fit."""

    class Meta:
        model = ReadTarget
        fields = (
            *("key", "label", "enabled", "list_query", "model_name", "description", "short_description", "tags"),
            *("search_hint", "order", "screen", "screen_label"),
            *("document", "rows_path", "total_path", "door_permission"),
        )
        help_texts = {"key": KEY_HINT}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        target = self.instance
        if "list_query" not in self.fields:
            # Somebody who may only look has no fields.
            return
        if target.is_foreign:
            self.initial["list_query"] = ""
        self.fields["list_query"].required = False
        other = ("", _("another shape: the GraphQL document below"))
        choices.offer(self, "list_query", [other, *choices.lists()])
        choices.offer(self, "screen", choices.screens())
        choices.offer(self, "door_permission", choices.view_permissions())
        self._offer_order()

    def _offer_order(self) -> None:
        asked = self.data.get(self.add_prefix("list_query")) if self.is_bound else self.initial.get("list_query")
        shape = shape_of(ReadTarget(list_query=asked or ""))
        held = self.fields["order"]
        # Too many terms for the selects must not be lost by saving.
        if isinstance(shape, ListShape) and len(self.instance.order.split()) <= ORDER_TERMS:
            self.fields["order"] = OrderField(shape.sorted, self.instance.order, label=held.label)

    def clean(self) -> dict[str, Any]:
        """Take the name of a document's own list for the list; refuse both or neither."""
        cleaned = super().clean() or self.cleaned_data
        document, named = cleaned.get("document", "").strip(), cleaned.get("list_query", "")
        if document and named:
            self.add_error("list_query", _("Choose a list or write a document, not both: empty one of the two."))
        elif document:
            cleaned["list_query"] = _root_of(document)
        elif not named and "list_query" in self.fields:
            self.add_error("list_query", _("Choose a list, or write the document of one of another shape below."))
        return cleaned

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]  # django-stubs leaves it out
        if "list_query" in self.errors or "list_query" not in self.fields:
            return
        for problem in problems_of(self.instance, columns=(), goals=(), criteria=(), parameters=()):
            # What is wrong with the key is found by the model as well.
            if not problem.part and problem.field in self.fields and problem.field != "key":
                self.add_error(problem.field, problem.said)


def _root_of(document: str) -> str:
    """The root field that a document reads; empty where that is wrong, which is said at the document."""
    with suppress(NoSchema):
        return next(iter(document_of(document).roots), "")
    return ""
