"""The shop: when its holdout changed, as everybody is told who is assigned."""

from typing import Any

import pytest

from abtest.domain.settings.shop import from_document, to_document
from tests.support.storefronts import MOMENT, shop

LATER = "2026-01-01T00:00:01.500Z"
LATER_MS = 1767225601500


@pytest.mark.parametrize("changes", [{"holdout_pct": 5}, {"holdout_v1_enabled": True}])
def test_shop__holdout_changed__takes_the_moment_as_its_epoch(changes: dict[str, Any]) -> None:
    assert shop().changed(changes, LATER).holdout_config_epoch == LATER_MS


@pytest.mark.parametrize("changes", [{"name": "Other"}, {"currency": "USD", "holdout_pct": 0}])
def test_shop__something_else_changed__keeps_the_epoch(changes: dict[str, Any]) -> None:
    before = shop(holdout_config_epoch=LATER_MS)
    assert before.changed(changes, MOMENT).holdout_config_epoch == LATER_MS


@pytest.mark.parametrize("now", [LATER, MOMENT])
def test_shop__holdout_changed_in_the_same_millisecond_or_by_a_clock_gone_back__epoch_rises(now: str) -> None:
    once = shop().changed({"holdout_pct": 5}, LATER)
    assert once.changed({"holdout_pct": 0}, now).holdout_config_epoch == LATER_MS + 1


def test_shop__stored_and_read__keeps_its_epoch() -> None:
    kept = shop(holdout_config_epoch=LATER_MS)
    assert from_document(to_document(kept), kept.version) == kept


def test_shop__stored_before_there_was_an_epoch__has_the_first() -> None:
    document = to_document(shop())
    del document["holdout_config_epoch"]
    assert from_document(document, 1).holdout_config_epoch == 1
