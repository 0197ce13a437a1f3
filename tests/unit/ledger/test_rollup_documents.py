"""Counts as documents and back: what one release writes the next one reads."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.domain.ledger.cells import Covariate, SessionCount
from abtest.domain.ledger.daily_counts import DailyCounts, Document
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.reference import count
from abtest.domain.ledger.rollup_documents import (
    RollupDocuments,
    counts_of,
    rollup_documents,
    shop_day_document,
    shop_day_of,
    source_of,
)
from abtest.domain.ledger.shop_days import shop_day
from tests.support.ledgers import (
    BEGIN,
    HOLDOUT_PLAN,
    PLAN,
    SHOP,
    delivery,
    exposure,
    goal,
    order,
    plan,
    random_ledger,
)

NOON = "2026-02-02T12:00:00.000Z"


def documents(asked: CountingPlan, counts: DailyCounts) -> RollupDocuments:
    return rollup_documents(asked, counts, generation=1, computed_at=NOON, stored=None)


def without(document: Document, name: str) -> Document:
    return {key: found for key, found in document.items() if key != name}


@pytest.mark.parametrize("asked", [PLAN, HOLDOUT_PLAN], ids=["experiment", "holdout"])
@settings(max_examples=20, deadline=None)
@given(key=st.integers(0, 2**32), number=st.integers(0, 150))
def test_documents__of_any_counts__are_read_as_these(asked: CountingPlan, key: int, number: int) -> None:
    counts = count(random_ledger(key, number), asked)
    written = documents(asked, DailyCounts.of(counts))
    found = counts_of(written.totals, written.days.values(), written.segments.values())
    assert documents(asked, DailyCounts.of(found)) == written
    assert (found.visitors, found.sessions, found.covariates) == (
        counts.visitors,
        counts.sessions,
        counts.covariates,
    )


def test_totals__of_an_experiment__have_the_sessions_of_every_variation() -> None:
    rows = [exposure("v-1", "blue"), delivery("v-2", "blue", "sdk_perf"), delivery("v-2", "blue", "sdk_error")]
    assert documents(PLAN, DailyCounts.of(count(rows, PLAN))).totals["sessions"] == {
        "control": {"seen": 0, "failed": 0, "missed": 0, "without_sticky": 0, "unmatched": 0},
        "blue": {"seen": 2, "failed": 1, "missed": 1, "without_sticky": 0, "unmatched": 0},
        "red": {"seen": 0, "failed": 0, "missed": 0, "without_sticky": 0, "unmatched": 0},
    }
    assert "sessions" not in documents(HOLDOUT_PLAN, DailyCounts.of(count(rows, HOLDOUT_PLAN))).totals


def test_totals__of_an_older_release__are_read_without_sessions() -> None:
    counts = DailyCounts.of(count([exposure("v-1", "blue")], plan()))
    written = documents(plan(), counts)
    found = counts_of(without(written.totals, "sessions"), written.days.values(), written.segments.values())
    assert (found.sessions, found.visitors) == ({}, counts.whole().visitors)


BEFORE = [exposure("v-1", "blue", BEGIN + 5), order("v-1", 10**12, BEGIN + 1), order("v-1", 3, BEGIN + 9)]


def test_totals__of_goals_that_look_back__have_covariates_of_every_variation() -> None:
    looking = plan(goal("money", "revenue", looks_back=True), goal("click"))
    totals = documents(looking, DailyCounts.of(count(BEFORE, looking))).totals
    assert totals["covariates"] == {
        "money": {
            "control": [0, "0", "0"],
            "blue": [10**12, str(10**24), str(3 * 10**12)],
            "red": [0, "0", "0"],
        }
    }
    assert documents(HOLDOUT_PLAN, DailyCounts.of(count(BEFORE, HOLDOUT_PLAN))).totals["covariates"] == {}


def test_sessions__of_an_older_release__have_none_unmatched() -> None:
    written = documents(PLAN, DailyCounts.of(count([exposure("v-1", "blue")], PLAN)))
    sessions = {name: without(each, "unmatched") for name, each in written.totals["sessions"].items()}
    assert counts_of({**written.totals, "sessions": sessions}).sessions == {"blue": SessionCount(1)}


def test_totals__of_goals_with_caps_that_look_back__have_covariates_by_step() -> None:
    looking = plan(goal("money", "revenue", looks_back=True, winsorize_pct=0.1), goal("other", "revenue"))
    ledger = [
        exposure("v-1", "blue", BEGIN + DAY_MS),
        order("v-1", 12_345, BEGIN + DAY_MS - 1, received_at=BEGIN + DAY_MS - 1),
        order("v-1", 99_999, BEGIN + DAY_MS + 1),
    ]
    counts = count(ledger, looking)
    totals = documents(looking, DailyCounts.of(counts)).totals

    assert totals["covariate_steps"] == {"money": {"blue": [[100_000, 12_345, str(12_345**2), str(12_345 * 99_999)]]}}
    assert counts_of(totals).covariate_steps == counts.covariate_steps
    assert counts_of(without(totals, "covariate_steps")).covariate_steps == {}
    assert (
        "covariate_steps"
        not in documents(plan(goal("money", "revenue", looks_back=True)), DailyCounts.of(counts)).totals
    )


def test_totals__of_an_older_release__are_read_without_covariates() -> None:
    looking = plan(goal("money", "revenue", looks_back=True))
    written = documents(looking, DailyCounts.of(count(BEFORE, looking)))
    assert counts_of(written.totals).covariates == {"money": {"blue": Covariate(10**12, 10**24, 3 * 10**12)}}
    assert counts_of(without(written.totals, "covariates")).covariates == {}


def test_source__of_another_covariate__is_another() -> None:
    looking = plan(goal("money", "revenue", looks_back=True))
    first, second = (DailyCounts.of(count(rows, looking)) for rows in (BEFORE, [BEFORE[0], BEFORE[2]]))
    assert first.pieces.keys() == second.pieces.keys()
    assert source_of(looking, first) != source_of(looking, second)


def test_source__of_another_session__is_another() -> None:
    first, second = (
        DailyCounts.of(count([exposure("v-1", "blue"), *more], plan()))
        for more in ([], [delivery("v-1", "blue", "sdk_error")])
    )
    assert second.rest.sessions == {"blue": SessionCount(1, 1, 0)}
    assert source_of(plan(), first) != source_of(plan(), second)


def test_day__of_an_older_release__does_not_know_of_repeated_orders() -> None:
    rows = [order("v-1", 500, order_id="o-1", event_id=event_id) for event_id in "ab"]
    day = shop_day(rows, SHOP, "2026-02-02", "EUR")
    written = shop_day_document(day, generation=1, computed_at=NOON)
    assert (written["repeated_orders"], shop_day_of(written)) == (1, day)
    assert shop_day_of(without(written, "repeated_orders")).repeated_orders is None
