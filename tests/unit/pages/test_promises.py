"""Promises of landing pages: how often the sweep sends one that is not kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from abtest.kit.clock import timestamp
from abtest.ports.catalog import OutboxRow
from abtest.services.pages.promises import is_due

NOW = datetime(2026, 3, 2, 9, 0, 0, tzinfo=UTC)
ROW = OutboxRow(id="r", shop_id="s", topic="publish", payload={}, created_at=timestamp(NOW))


def test_promise__is_sent_every_minute_at_first_and_every_hour_in_the_end() -> None:
    ages = [age for age in range(24 * 60) if is_due(ROW, NOW + timedelta(minutes=age, seconds=59))]
    assert ages == [*range(20), *range(20, 600, 10), *range(600, 1440, 60)]
