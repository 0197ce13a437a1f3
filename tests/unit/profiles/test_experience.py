"""Experience of completed experiments: where they were, what they changed, how they ended."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.profiles.experience import NOT_NAMED, experience, lesson_of
from abtest.domain.profiles.model import Lesson
from tests.support.stores import NOW, SHOP_ID

TEXT: Any = {"selector": "h1", "action": "setText", "text": "T"}
HTML: Any = {"selector": "h1", "action": "insertAfter", "html": "<p>"}


def experiment(name: str = "E", *, targeting: Any = None, **treatment: Any) -> Experiment:
    """Return a completed experiment with one treatment."""
    arms = [
        Variation(id="c", experiment_id="e", name="Control", weight=0.5, is_control=True, custom_css="a{}"),
        Variation(id="t", experiment_id="e", name="T", weight=0.5, is_control=False, **treatment),
        Variation(id="x", experiment_id="e", name="X", weight=0, is_control=False, archived_at=NOW, custom_js="1"),
    ]
    return Experiment(
        id="e",
        shop_id=SHOP_ID,
        name=name,
        status="completed",
        outcome="won",
        learning="Short is good.",
        targeting=targeting,
        created_at=NOW,
        updated_at=NOW,
        ended_at=NOW,
        variations=tuple(arms),
    )


def on(pattern: str) -> Any:
    """Return targeting of a page."""
    return {"pageRules": [{"includeRules": [{"type": "simple", "pattern": pattern}]}]}


@pytest.mark.parametrize(
    ("treatment", "changes"),
    [
        ({"mutations": (TEXT, HTML, TEXT)}, ("text", "markup")),
        ({"custom_css": "a{}", "custom_js": "1"}, ("css", "javascript")),
        ({"redirect_url": "https://shop.example/b"}, ("redirect",)),
        (
            {"url_blocks": ({"id": "1", "name": "B", "urlRules": [], "mutations": [TEXT], "css": "a{}"},)},
            ("text", "css"),
        ),
        ({}, ()),
    ],
)
def test_changes__are_those_of_the_treatments(treatment: dict[str, Any], changes: tuple[str, ...]) -> None:
    assert lesson_of(experiment(**treatment), None, "shop.example").changes == changes


@pytest.mark.parametrize(
    ("pattern", "kind"),
    [
        ("/products/arc-lamp", "product"),
        ("https://shop.example/collections/all", "collection"),
        ("/", "home"),
        ("/cart", "cart"),
        ("/products/*", None),
        ("/checkout", None),
    ],
)
def test_page_kind__is_that_of_the_first_page_without_a_wildcard(pattern: str, kind: str | None) -> None:
    assert lesson_of(experiment(targeting=on(pattern)), on(pattern), "shop.example").page_kind == kind


def test_groups__count_outcomes_by_page_and_by_change() -> None:
    def lesson(outcome: str | None, kind: str | None, *changes: str) -> Lesson:
        return Lesson(
            experiment_id="e",
            name="E",
            outcome=outcome,
            learning=None,
            ended_at=NOW,
            page_kind=kind,
            changes=changes,
        )

    lessons = [
        lesson("won", "product", "text"),
        lesson("lost", "product", "text", "css"),
        lesson("inconclusive", None, "css"),
        lesson(None, "product", "redirect"),
    ]
    run = experience(lessons, 7, NOW)
    assert [(each.name, each.experiments, each.won, each.lost, each.inconclusive) for each in run.by_page_kind] == [
        ("product", 3, 1, 1, 0),
        (NOT_NAMED, 1, 0, 0, 1),
    ]
    assert {each.name: (each.experiments, each.won, each.lost) for each in run.by_change} == {
        "text": (2, 1, 1),
        "css": (2, 0, 1),
        "redirect": (1, 0, 0),
    }
    assert run.more == 7
