"""Four days of trouble: money is lost twice, once by a winner; one is not delivered, one fails, one just ends.

Two break after days without trouble, one of them until it is mended.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tests.stories.book import QUARTER
from tests.stories.checks import CHECKS
from tests.stories.shoppers import HOUR
from tests.stories.story import BAD_DAYS, FADING, MENDED, PLANNED, TEMPTING, Role, Story


@pytest.fixture(scope="module")
def bad_days(event_loop_of_handlers: asyncio.AbstractEventLoop) -> Story:
    """The story at its end."""
    asyncio.set_event_loop(event_loop_of_handlers)  # Mangum would make one of its own here and leave it open
    return Story(1, days=4, cast=BAD_DAYS, shoppers_a_day=500).run()


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_bad_days__at_their_end__were_told_as_they_were(bad_days: Story, check: Callable[[Story], None]) -> None:
    check(bad_days)


def test_bad_days__what_is_broken__is_paused_within_hours(bad_days: Story) -> None:
    paused = {case.name: case for case in bad_days.oracle.cases.values() if case.status == "paused"}
    for role in BAD_DAYS:
        if role.is_broken and role is not MENDED:
            case = paused[role.name]
            assert case.ended_at is not None
            assert bad_days.rounds[case.ended_at][0] - case.book.begins - role.sound < 10 * HOUR


@pytest.mark.parametrize("role", [FADING, MENDED], ids=lambda role: role.name)
def test_bad_days__what_breaks_later__is_reported_as_a_change(bad_days: Story, role: Role) -> None:
    """All counts together prove nothing so soon."""
    (case,) = (case for case in bad_days.oracle.cases.values() if case.name == role.name)
    assert {each.finding.kind for each in case.reported} >= {"broken_conversion"}
    for each in case.reported:
        assert each.finding.since is not None
        assert abs(each.finding.since * QUARTER - case.book.begins - role.sound) <= HOUR


def test_bad_days__what_was_mended__is_over_and_goes_on(bad_days: Story) -> None:
    (case,) = (case for case in bad_days.oracle.cases.values() if case.name == MENDED.name)
    assert case.status == "running"
    for each in case.reported:
        assert each.ended is not None
        assert bad_days.rounds[each.ended][0] - case.book.begins < (max(MENDED.turns) + 10) * HOUR


def test_bad_days__have_a_reason_each(bad_days: Story) -> None:
    """Else the other tests say little."""
    reasons = [row.payload["reason"] for row in bad_days.told if "reason" in row.payload]
    assert len(set(reasons)) == len(BAD_DAYS) - len((PLANNED, TEMPTING, MENDED))
    outcomes = [row.payload["outcome"] for row in bad_days.told if "outcome" in row.payload]
    assert outcomes == ["harm"]
    assert [case.name for case in bad_days.oracle.cases.values() if case.evaluation] == ["Planned"]
