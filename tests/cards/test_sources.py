"""Sources of cards: registered once, asked each time."""

from __future__ import annotations

import pytest
from django.core.exceptions import ImproperlyConfigured

from read_targets.cards.models import WorkspaceVersion
from read_targets.cards.sources import Required, closed_doors, door_of, register_source, review_of

from .conftest import Stories


def test_a_second_source_of_the_same_class_is_refused(stories: Stories) -> None:
    with pytest.raises(ImproperlyConfigured, match="Stories"):
        register_source(Stories())


@pytest.mark.django_db
def test_where_there_is_no_source_everything_is_closed() -> None:
    assert door_of(None, "gone") == Required("", "gone")
    review = review_of(None, WorkspaceVersion(source="gone"))
    assert not review.permitted
    assert not review.figures_open


@pytest.mark.django_db
def test_doors_are_asked_for_once_a_key(stories: Stories) -> None:
    stories.required = Required("a.view_b", "b")
    assert closed_doors(None, ["stories", "stories-two", "stories"]) == {
        "stories": stories.required,
        "stories-two": stories.required,
    }
    assert stories.asked == ["stories", "stories-two"]
