"""Five days of planned looks: one that is won on the way, one that comes to its end; schedules die as they like."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tests.stories.checks import CHECKS
from tests.stories.story import LOOKS, Story


@pytest.fixture(scope="module")
def days(event_loop_of_handlers: asyncio.AbstractEventLoop) -> Story:
    """The story at its end."""
    asyncio.set_event_loop(event_loop_of_handlers)  # Mangum would make one of its own here and leave it open
    return Story(1, days=5, cast=LOOKS, shoppers_a_day=600).run()


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_days__at_their_end__are_as_they_were_sent(days: Story, check: Callable[[Story], None]) -> None:
    check(days)


def test_days__have_a_winner_on_the_way_and_an_end(days: Story) -> None:
    """Else the other tests show little."""
    cases = {case.name: case for case in days.oracle.cases.values()}
    outcomes = {name: case.evaluation[1] for name, case in cases.items() if case.evaluation}
    assert outcomes == {"Looked at": "significant_pause", "To the end": "continue_inconclusive"}
    looks = cases["Looked at"].looks
    assert looks is not None
    assert len(looks.seen) >= 2
    assert looks.seen[-1].place < 1
