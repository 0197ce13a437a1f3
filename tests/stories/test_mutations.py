"""The story is no story that always comes true: with a part of the product switched off it fails."""

from __future__ import annotations

import pytest

from abtest.domain.guardian import harm
from tests.stories import checks
from tests.stories.shoppers import Effect
from tests.stories.story import Role, Story

BETTER = Role(name="Much better", day=0, effect=Effect(reaches=(0.1, 0.25)))
WORSE = Role(name="Much worse", day=0, effect=Effect(reaches=(0.25, 0.1)))
BREAKING = Role(
    name="Breaking",
    day=0,
    effect=Effect(reaches=(0.8, 0.8)),
    turns={42: Effect(reaches=(0.8, 0.0))},
    is_broken=True,
)


def days(*without: str) -> Story:
    """Two days of a winner and a loser."""
    return Story(3, days=2, cast=(BETTER, WORSE), shoppers_a_day=500, without=frozenset(without)).run()


def test_events__with_all_schedules__are_as_foretold() -> None:
    story = days()
    checks.events(story)
    assert {case.status for case in story.oracle.cases.values()} == {"paused"}


WON = {"experiment.significant", "variation.winning"}
LOST = {"experiment.guardian_paused"}


@pytest.mark.parametrize(
    ("switched_off", "silenced"),
    [("autostop", WON), ("guardian", LOST), ("rollup", WON | LOST)],
    ids=["autostop", "guardian", "rollup"],
)
def test_events__with_a_schedule_switched_off__are_not_as_foretold(switched_off: str, silenced: set[str]) -> None:
    story = days(switched_off)
    foretold = {each.payload["event"] for each in story.oracle.foretold}
    assert foretold - {row.payload["event"] for row in story.told} == silenced
    with pytest.raises(AssertionError):
        checks.events(story)


def test_events__without_evidence_of_changes__are_not_as_foretold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harm, "change_of_conversions", lambda *_: None)
    story = Story(3, days=2, cast=(BREAKING,), shoppers_a_day=500).run()
    foretold = {each.payload["event"] for each in story.oracle.foretold}
    assert foretold - {row.payload["event"] for row in story.told} == LOST
    with pytest.raises(AssertionError):
        checks.events(story)
