"""When a shop is counted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from abtest.domain.ledger.dispatching import (
    MANY_ROWS,
    MINUTE_MS,
    RETRY_MS,
    Backlog,
    Counted,
    digest_of_versions,
    is_due,
)

NOW = 1_800_000_000_000
DAY_MS = 1440 * MINUTE_MS
OLD = Counted(at=NOW - 5 * MINUTE_MS, plans="p", plans_since=NOW - 20 * DAY_MS, held=50_000, has_failed=False)


def waiting(rows: int = 1, minutes: float = 1) -> Backlog:
    return Backlog(rows=rows, oldest=NOW - int(minutes * MINUTE_MS))


def test_shop__that_was_never_counted__is_due_with_rows_or_plans() -> None:
    assert is_due(None, waiting(), "", NOW)
    assert is_due(None, None, "p", NOW)
    assert not is_due(None, None, "", NOW)


def test_shop__whose_plans_changed__is_due_without_rows() -> None:
    assert is_due(OLD, None, "q", NOW)
    assert not is_due(OLD, None, "p", NOW)


@pytest.mark.parametrize(
    ("days", "minutes", "is_counted"),
    [(0.1, 2.8, False), (0.1, 2.9, True), (1, 28, False), (1, 29, True), (20, 29, False), (20, 30, True)],
)
def test_few_rows__wait_in_proportion_to_the_age_of_the_plans(days: float, minutes: float, is_counted: bool) -> None:
    counted = replace(OLD, plans_since=NOW - int(days * DAY_MS))
    assert is_due(counted, waiting(minutes=minutes), "p", NOW) is is_counted


def test_many_rows__do_not_wait() -> None:
    assert not is_due(OLD, waiting(MANY_ROWS - 1), "p", NOW)
    assert is_due(OLD, waiting(MANY_ROWS), "p", NOW)


def test_large_shop__rests_for_what_its_worker_has_to_load() -> None:
    large = replace(OLD, held=6_000_000)
    assert not is_due(large, waiting(10**6), "p", NOW)
    assert is_due(replace(large, at=NOW - 6 * MINUTE_MS), waiting(10**6), "p", NOW)
    assert is_due(replace(large, held=10**9, at=NOW - 30 * MINUTE_MS), waiting(10**6), "p", NOW), "half an hour at most"


def test_shop__that_failed__is_tried_again_after_a_while() -> None:
    failed = replace(OLD, has_failed=True)
    assert not is_due(failed, waiting(10**6, 60), "p", NOW)
    assert is_due(replace(failed, at=NOW - RETRY_MS), None, "p", NOW)


def test_digest__of_the_same_versions_in_any_order__is_the_same() -> None:
    one, two = ("EXP", "a", 1), ("PZN", "b", 2)
    assert digest_of_versions([one, two]) == digest_of_versions([two, one])
    assert digest_of_versions([one]) != digest_of_versions([("EXP", "a", 2)])
    assert digest_of_versions([]) == ""
