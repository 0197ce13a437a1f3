"""When a shop is counted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from abtest.domain.ledger.dispatching import (
    DAY_BEGINS_MS,
    DAY_ENDS_MS,
    DAY_MS,
    HOUR_MS,
    MANY_ROWS,
    MINUTE_MS,
    READ_MS,
    RETRY_MS,
    SOME_ROWS,
    YOUNG_MS,
    YOUNG_ROWS,
    Backlog,
    Counted,
    Interest,
    day_shift_of,
    digest_of_versions,
    is_due,
)
from abtest.domain.ledger.margins import CLOCKS_APART_MS

NOW = 1_800_000_000_000 // DAY_MS * DAY_MS + 15 * HOUR_MS
"""Three in the afternoon: no day ends within hours."""

OLD = Counted(at=NOW - 5 * MINUTE_MS, plans="p", plans_since=NOW - 20 * DAY_MS, held=50_000, has_failed=False)
READ = Interest(read_at=NOW - MINUTE_MS)


def waiting(rows: int = 1, minutes: float = 1) -> Backlog:
    return Backlog(rows=rows, oldest=NOW - int(minutes * MINUTE_MS))


def changed(minutes: float) -> Counted:
    """Plans that were changed so long ago."""
    return replace(OLD, plans_since=NOW - int(minutes * MINUTE_MS))


def test_shop__that_was_never_counted__is_due_with_rows_or_plans() -> None:
    assert is_due(None, waiting(), "", NOW)
    assert is_due(None, None, "p", NOW)
    assert not is_due(None, None, "", NOW)


def test_shop__whose_plans_changed__is_due_with_rows_that_show_it_or_a_reader_or_after_a_failure() -> None:
    assert is_due(OLD, waiting(YOUNG_ROWS), "q", NOW)
    assert not is_due(OLD, waiting(YOUNG_ROWS - 1), "q", NOW)
    assert is_due(OLD, None, "q", NOW, READ)
    assert is_due(replace(OLD, has_failed=True), None, "q", NOW)
    assert not is_due(OLD, None, "p", NOW, READ)


def test_shop__whose_plans_changed__is_due_without_rows_at_the_end_of_the_day() -> None:
    assert not is_due(OLD, None, "q", NOW)
    assert is_due(OLD, None, "q", NOW + 10 * HOUR_MS)
    assert not is_due(OLD, None, "p", NOW + 10 * HOUR_MS)


@pytest.mark.parametrize(
    ("days", "minutes", "is_counted"),
    [(0.1, 2.8, False), (0.1, 2.9, True), (1, 28, False), (1, 29, True), (20, 29, False), (20, 30, True)],
)
def test_few_rows__of_a_shop_that_is_read__wait_in_proportion_to_the_age_of_the_plans(
    days: float, minutes: float, is_counted: bool
) -> None:
    counted = changed(days * 1440)
    assert is_due(counted, waiting(minutes=minutes), "p", NOW, READ) is is_counted
    assert not is_due(counted, waiting(minutes=minutes), "p", NOW), "no one reads"


def test_interest__lasts_an_hour_after_the_last_read() -> None:
    assert is_due(OLD, waiting(minutes=30), "p", NOW, Interest(read_at=NOW - HOUR_MS))
    assert not is_due(OLD, waiting(minutes=30), "p", NOW, Interest(read_at=NOW - READ_MS))


def test_first_read__of_a_shop_whose_rows_have_waited__makes_it_due_at_once() -> None:
    assert not is_due(OLD, waiting(10, 400), "p", NOW)
    assert is_due(OLD, waiting(10, 400), "p", NOW, Interest(read_at=NOW))


def test_young_plans__with_rows_that_may_prove_harm__wait_as_if_someone_read() -> None:
    young = changed(120)
    assert is_due(young, waiting(YOUNG_ROWS, 2.4), "p", NOW)
    assert not is_due(young, waiting(YOUNG_ROWS, 2.3), "p", NOW)
    assert not is_due(young, waiting(YOUNG_ROWS - 1, 100), "p", NOW)
    assert not is_due(changed(YOUNG_MS / MINUTE_MS), waiting(YOUNG_ROWS, 59), "p", NOW)


def test_some_rows__wait_an_hour_at_most() -> None:
    assert not is_due(OLD, waiting(SOME_ROWS, 59), "p", NOW)
    assert not is_due(OLD, waiting(SOME_ROWS - 1, 61), "p", NOW)
    assert is_due(OLD, waiting(SOME_ROWS, 60), "p", NOW)


def test_many_rows__do_not_wait() -> None:
    for interest in (Interest(), READ):
        assert not is_due(OLD, waiting(MANY_ROWS - 1), "p", NOW, interest)
        assert is_due(OLD, waiting(MANY_ROWS), "p", NOW, interest)


def test_many_rows__of_a_shop_that_holds_a_thousand_times_as_many__are_more() -> None:
    large = replace(OLD, held=4_000_000)
    assert not is_due(large, waiting(3_999), "p", NOW)
    assert is_due(large, waiting(4_000), "p", NOW)
    assert is_due(large, waiting(MANY_ROWS), "p", NOW, READ)


def test_large_shop__rests_for_what_its_worker_has_to_load() -> None:
    large = replace(OLD, held=6_000_000)
    assert not is_due(large, waiting(10**6), "p", NOW)
    assert is_due(replace(large, at=NOW - 6 * MINUTE_MS), waiting(10**6), "p", NOW)
    huge = replace(large, held=10**9, at=NOW - 30 * MINUTE_MS)
    assert is_due(huge, waiting(10**6), "p", NOW, READ), "half an hour at most"
    assert not is_due(huge, waiting(10**6), "p", NOW)
    assert is_due(replace(huge, at=NOW - HOUR_MS), waiting(10**6), "p", NOW), "an hour at most"


def test_shop__that_failed__is_tried_again_after_a_while() -> None:
    failed = replace(OLD, has_failed=True)
    assert not is_due(failed, waiting(10**6, 60), "p", NOW)
    assert is_due(replace(failed, at=NOW - RETRY_MS), None, "p", NOW)


def test_shop__counted_by_a_clock_that_was_hours_ahead__does_not_wait_for_that_hour() -> None:
    ahead = replace(OLD, at=NOW + 6 * HOUR_MS)
    assert is_due(ahead, waiting(MANY_ROWS, 60), "p", NOW)
    assert is_due(replace(ahead, has_failed=True), None, "p", NOW)
    assert is_due(ahead, Backlog(rows=1, oldest=NOW - DAY_MS), "p", NOW)
    slightly = replace(OLD, at=NOW + CLOCKS_APART_MS, held=6_000_000)
    assert not is_due(slightly, waiting(10**6), "p", NOW), "clocks are never quite the same"
    assert not is_due(replace(slightly, has_failed=True), None, "p", NOW)


def test_day__that_is_over__is_counted_within_two_hours_and_not_before_its_last_events_came() -> None:
    midnight = NOW // DAY_MS * DAY_MS
    last = Backlog(rows=1, oldest=midnight - 1)
    for shop_id in ("a", "b", "c"):
        shift = day_shift_of(shop_id)
        interest = Interest(day_shift=shift)
        assert DAY_BEGINS_MS <= shift < DAY_ENDS_MS
        assert not is_due(OLD, last, "p", midnight + shift - 1, interest)
        assert is_due(replace(OLD, at=midnight - HOUR_MS), last, "p", midnight + shift, interest)
        assert not is_due(OLD, replace(last, oldest=midnight), "p", midnight + shift, interest)
    assert len({day_shift_of(str(number)) // MINUTE_MS for number in range(1000)}) == 90, "spread over the time"


def test_digest__of_the_same_versions_in_any_order__is_the_same() -> None:
    one, two = ("EXP", "a", 1), ("PZN", "b", 2)
    assert digest_of_versions([one, two]) == digest_of_versions([two, one])
    assert digest_of_versions([one]) != digest_of_versions([("EXP", "a", 2)])
    assert digest_of_versions([]) == ""
