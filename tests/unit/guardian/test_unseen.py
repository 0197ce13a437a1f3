"""When it is time to wonder that nobody is seen."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.domain.guardian.cases import state_document, state_from
from abtest.domain.guardian.judgement import judge
from abtest.domain.guardian.unseen import UNSEEN_AFTER_MS, unseen
from abtest.kit.clock import from_milliseconds, timestamp
from tests.unit.guardian.examples import BEGAN, OURS, evidence

HOUR_LATER = BEGAN + UNSEEN_AFTER_MS


@pytest.mark.parametrize(
    ("fields", "is_time"),
    [
        ({"counted_until": HOUR_LATER}, True),
        ({"counted_until": HOUR_LATER - 1}, False),
        ({"counted_until": 0}, False),
        ({"counted_until": HOUR_LATER, "watched_since": BEGAN + 1}, False),
        ({"counted_until": HOUR_LATER, "shop_visitors": 30}, True),
        ({"counted_until": HOUR_LATER, "shop_visitors": 29}, False),
        ({"counted_until": HOUR_LATER, "shop_visitors": 1}, False),
        ({"counted_until": HOUR_LATER, "visitors": (1, 0)}, False),
        ({"counted_until": HOUR_LATER, "multiple_exposure": 1}, False),
    ],
)
def test_unseen__at_and_beside_its_limits(fields: dict[str, Any], is_time: bool) -> None:
    assert (unseen(evidence(**{"visitors": (0, 0), **fields})) is not None) is is_time


def test_judge__remembers_it__and_documents_of_other_releases_can_be_read() -> None:
    now = timestamp(from_milliseconds(HOUR_LATER))
    found = evidence(visitors=(0, 0), counted_until=HOUR_LATER, shop_visitors=40)
    state = judge(None, found, OURS, measurement_epoch=1, now=now).state
    document = state_document(state)
    assert state.unseen is not None
    assert (state.unseen.shop_visitors, state.unseen.since) == (40, timestamp(from_milliseconds(BEGAN)))
    assert state_from(document) == state
    assert state_from({**document, "younger": 1}) == state
    del document["unseen"]
    assert state_from(document).unseen is None
