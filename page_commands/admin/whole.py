"""The form and the rows of one page of the admin, which are right or wrong only together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from django import forms
from django.db import models
from django.forms import BaseInlineFormSet
from django.forms.formsets import DELETION_FIELD_NAME
from django.utils.functional import cached_property

from ..declaration.problem import Part, Problem
from ..models import Page

STEP = 10
"""Distance between the positions of rows, so that one fits between two."""


class Whole:
    """The rows of one page of the admin, by their part; and the page of the application that they are for."""

    def __init__(self, page: Page | None = None) -> None:
        self.page = page
        self.formsets: dict[Part, RowFormSet] = {}

    def rows(self, part: Part) -> list[Any]:
        """The rows of a part as they were filled in, without those that are to go."""
        return [form.instance for form in self.row_forms(part)]

    def row_forms(self, part: Part) -> list[RowForm]:
        """The forms of those rows."""
        formset = self.formsets.get(part)
        return formset.live_forms if formset is not None else []

    def say(self, form: forms.BaseForm, problems: Iterable[Problem]) -> None:
        """Say every problem where it is: at the field of `form`, or at the row that has it.

        A field that cannot be read has been told enough.
        """
        unread = set(form.errors)
        for problem in problems:
            part: Part = "steps" if problem.part == "bindings" else problem.part
            if part in self.formsets:
                self.formsets[part].say(problem)
            elif problem.field not in unread:
                form.add_error(problem.field if problem.field in form.fields else None, problem.said)


class WholeForm(forms.ModelForm):
    """The form of a command or a page: valid only together with its rows, of which every problem is said at once."""

    whole: ClassVar[Whole | None] = None

    def problems(self, whole: Whole) -> Iterable[Problem]:
        """What is wrong with what was filled in, rows included."""
        raise NotImplementedError

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc]  # django-stubs leaves it out
        # Somebody who may only look has no fields, and saves nothing.
        if self.whole is not None and self.fields:
            self.whole.say(self, self.problems(self.whole))


class RowForm(forms.ModelForm):
    """A row of a formset, from which it takes what there is to choose."""

    shown_at: ClassVar[dict[str, str]] = {}
    """The form's own field for a field of the model that it does not have."""

    def __init__(self, *args: Any, formset: RowFormSet, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.formset = formset
        self._unread: set[str] | None = None
        if self.fields:
            self.prepare()

    def prepare(self) -> None:
        """Fill the selects."""

    def has_changed(self) -> bool:
        """Whether anything was filled in; a new row's position alone is nothing."""
        if self.instance.pk is None:
            return bool(set(self.changed_data) - {"position"})
        return super().has_changed()

    def say(self, problem: Problem) -> None:
        """Say a problem at its field; a field that cannot be read has been told enough."""
        if self._unread is None:
            self._unread = set(self.errors)
        name = self.shown_at.get(problem.field, problem.field)
        if name not in self._unread:
            self.add_error(name if name in self.fields else None, problem.said)


class RowFormSet(BaseInlineFormSet):
    """Rows of one kind, checked with the form that they stand below."""

    part: ClassVar[Part] = ""
    unique: ClassVar[str] = ""
    """The field whose values may not be used twice, where there is one."""

    def __init__(self, *args: Any, whole: Whole | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.whole = whole or Whole()
        self.whole.formsets[self.part] = self

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        """Hand itself on, of which each form takes what there is to choose; a new row comes last."""
        kwargs = {**super().get_form_kwargs(index), "formset": self}
        if index is None:
            kwargs["initial"] = {"position": self._next_position}
        return kwargs

    @cached_property
    def offered(self) -> Any:
        """What the rows choose from; asked for late, when the form above has been read."""
        return self.offer()

    def offer(self) -> Any:
        """Return what the rows choose from."""

    @cached_property
    def _next_position(self) -> int:
        last = self.get_queryset().aggregate(last=models.Max("position"))["last"] if self.instance.pk else None
        return int(last or 0) + STEP

    @cached_property
    def live_forms(self) -> list[RowForm]:
        """The forms of the rows that will be there: neither deleted nor left empty; asking cleans them all."""
        self.errors  # noqa: B018  # cleans the forms
        return [form for form in self._in_order() if not self._goes(form)]

    def _in_order(self) -> Iterator[RowForm]:
        """The forms in the order in which their rows will be, which is that of their positions."""
        filled: list[Any] = [form for form in self.forms if form.has_changed() or form.instance.pk is not None]
        yield from sorted(filled, key=lambda form: form.instance.position)

    def _goes(self, form: RowForm) -> bool:
        return bool(self.can_delete and form.cleaned_data.get(DELETION_FIELD_NAME))

    def clean(self) -> None:
        """Leave names that are used twice to the rules, which say them at their rows."""

    def say(self, problem: Problem) -> None:
        """Say a problem at the row that has it."""
        if problem.row is None:
            self.non_form_errors().append(problem.said)
        else:
            self.live_forms[problem.row].say(problem)

    def save(self, commit: bool = True) -> list[Any]:
        """Store the rows: first those that go, then those that stay, so that a name may pass from one to another."""
        rows = super().save(commit=False)
        if commit:
            for row in self.deleted_objects:
                row.delete()
            for row in rows:
                if self.unique and row.pk is not None:
                    type(row)._base_manager.filter(pk=row.pk).update(**{self.unique: f"renamed {row.pk}"})
            for row in rows:
                row.save()
        return rows
