"""Random schedules: whatever dies, repeats, comes late or races, the results are those of what was sent."""

from __future__ import annotations

import pytest

from tests.faults.schedule import Schedule
from tests.support.sizes import sized

SEEDS = range(sized(10, 3))


@pytest.mark.parametrize("seed", SEEDS, ids="seed-{}".format)
def test_results__of_a_random_schedule__equal_what_was_sent(seed: int, request: pytest.FixtureRequest) -> None:
    try:
        Schedule(seed, events=600, days=2, steps=16).run()
    except BaseException as error:
        error.add_note(f"the same again: .venv/bin/pytest '{request.node.nodeid}'")
        raise
