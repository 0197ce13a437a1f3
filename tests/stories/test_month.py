"""Four weeks of a shop: an A/A test, a winner, a loser, one that Guardian may not pause, one that breaks the shop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from tests.stories.checks import CHECKS, FIELDS
from tests.stories.story import MONTH, Story


@pytest.fixture(scope="module")
def month(event_loop_of_handlers: asyncio.AbstractEventLoop) -> Story:
    """The story at its end."""
    asyncio.set_event_loop(event_loop_of_handlers)  # Mangum would make one of its own here and leave it open
    return Story(1, days=28, cast=MONTH, shoppers_a_day=500).run()


@pytest.mark.parametrize("check", CHECKS.values(), ids=CHECKS)
def test_month__at_its_end__was_told_as_it_was(month: Story, check: Callable[[Story], None]) -> None:
    check(month)


def test_month__of_each_event_of_experiments__has_one(month: Story) -> None:
    """Else the other tests say little."""
    assert {row.payload["event"] for row in month.told} == FIELDS.keys()
    assert month.repeated > 1000
