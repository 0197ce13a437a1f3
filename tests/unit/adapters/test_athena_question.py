"""Questions about a shop that are too large for one query, answered by engines that refuse some."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from math import ceil

import pytest

from abtest.adapters.warehouse.athena import AthenaWarehouse
from abtest.adapters.warehouse.athena_client import (
    MAX_QUERY_BYTES,
    AthenaQueries,
    QueryDeadlineError,
    QueryError,
    ResourcesError,
    ScanLimitError,
    Value,
)
from abtest.adapters.warehouse.athena_question import PLANS_AT_ONCE, AthenaShops
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.objects import ShopFiles
from abtest.domain.ledger.plans import CountingPlan
from abtest.kit.clock import ManualClock, from_milliseconds
from abtest.kit.ids import SystemRandomness
from abtest.ports.warehouse import OutOfTimeError, ShopCounted, ShopPlans
from tests.support.ledgers import BEGIN, GOALS, SHOP, goal, plan
from tests.support.memory import MemoryBlobs

NOW = BEGIN + DAY_MS
Refusal = Callable[[str], Exception | None]
"""The error with which a query ends, by its text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusing(AthenaQueries):
    """Queries without rows; some fail."""

    refusal: Refusal
    texts: list[str] = field(default_factory=list)

    def run(self, text: str) -> None:
        self._answer(text)

    def stream(self, text: str) -> Iterator[tuple[Value, ...]]:
        self._answer(text)
        return iter(())

    def _answer(self, text: str) -> None:
        assert len(text.encode()) <= MAX_QUERY_BYTES
        self.texts.append(text)
        error = self.refusal(text)
        if error:
            raise error


def plans(number: int, **changes: object) -> list[CountingPlan]:
    return [plan(goal("click"), experiment_id=f"e{each:04}", **changes) for each in range(number)]


def counted(
    subjects: Sequence[CountingPlan], refusal: Refusal = lambda _: None, until: datetime | None = None
) -> tuple[ShopCounted, list[str]]:
    queries = Refusing(database="ledger", workgroup="queries", random=SystemRandomness(), refusal=refusal)
    warehouse = AthenaWarehouse(queries=queries, ledger=MemoryBlobs(), bucket="ledger")
    shops = AthenaShops(warehouse=warehouse, clock=ManualClock(from_milliseconds(NOW)), at_once=4)
    shop = ShopPlans(shop_id=SHOP, currency="EUR", plans=subjects)
    return shops.count(shop, ShopFiles(), until=until), queries.texts


def test_count__many_plans__keeps_rows_once_and_counts_some_at_a_time() -> None:
    shop, texts = counted(plans(250))
    assert len(shop.counts) == 250
    assert not shop.failed
    assert sum(text.startswith("UNLOAD") for text in texts) == 1
    assert len(texts) == 1 + ceil(250 / PLANS_AT_ONCE) + 1  # the last is for changed days, and there are none


def test_count__two_thousand_experiments_with_all_kinds_of_goals__fit_into_texts() -> None:
    subjects = [plan(*GOALS, experiment_id=f"0192f2a0-0000-7000-8000-{each:012}") for each in range(2_000)]
    shop, texts = counted(subjects)
    assert len(shop.counts) == 2_000
    assert not shop.failed
    assert sum(text.startswith("UNLOAD") for text in texts) == 1


@pytest.mark.parametrize(
    "error", [ScanLimitError(9), ResourcesError("exhausted resources"), QueryDeadlineError("late")]
)
def test_count__one_plan_too_large__fails_alone(error: Exception) -> None:
    def refusal(text: str) -> Exception | None:
        return error if "'e0003'" in text and "UNLOAD" not in text else None

    shop, _ = counted(plans(20), refusal)
    assert shop.failed == {"e0003": str(error)}
    assert len(shop.counts) == 19


def test_count__history_too_long_to_read__takes_only_its_plans_with_it() -> None:
    """Days and newer plans are read without the old rows."""
    old = replace(plans(1)[0], experiment_id="old", begins_at=BEGIN - 400 * DAY_MS)

    def refusal(text: str) -> Exception | None:
        return ScanLimitError(9) if text.startswith("UNLOAD") and str(old.since) in text else None

    shop, texts = counted([old, *plans(7)], refusal)
    assert list(shop.failed) == ["old"]
    assert len(shop.counts) == 7
    assert sum("touched_day" in text for text in texts) == 1


def test_count__days_that_fail__leave_the_plans() -> None:
    shop, _ = counted(plans(2), lambda text: QueryError("no") if "touched_day" in text else None)
    assert shop.failed == {SHOP: "no"}
    assert len(shop.counts) == 2


def test_count__error_that_no_division_helps__is_not_repeated() -> None:
    shop, texts = counted(plans(64), lambda _: QueryError("access denied"))
    assert set(shop.failed) == {SHOP, *(each.experiment_id for each in plans(64))}
    assert len(texts) == 1


def test_count__time_over__stops_before_the_next_query() -> None:
    with pytest.raises(OutOfTimeError):
        counted(plans(2), until=from_milliseconds(NOW) - timedelta(seconds=1))
