"""When a shop is counted, for any state: more reason never makes a shop wait longer, and nothing waits for ever."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.ledger.dispatching import (
    DAY_ENDS_MS,
    DAY_MS,
    HOUR_MS,
    MINUTE_MS,
    SOME_ROWS,
    Backlog,
    Counted,
    Interest,
    day_shift_of,
    is_due,
)

NOW = 1_800_000_000_000
AGES = st.integers(0, 40 * DAY_MS)
STATES = st.builds(
    Counted,
    at=AGES.map(lambda age: NOW - age),
    plans=st.sampled_from(["p", "q"]),
    plans_since=AGES.map(lambda age: NOW - age),
    held=st.one_of(st.integers(0, 10**6), st.integers(0, 10**9)),
    has_failed=st.just(False),
)
BACKLOGS = st.builds(Backlog, rows=st.integers(1, 10_000), oldest=AGES.map(lambda age: NOW - age))
INTERESTS = st.builds(
    Interest,
    read_at=st.one_of(st.none(), st.integers(0, 2 * HOUR_MS).map(lambda age: NOW - age)),
    day_shift=st.text().map(day_shift_of),
)


@given(STATES, BACKLOGS, INTERESTS, st.integers(0, 10_000), AGES)
def test_more_rows_that_are_older__never_wait_where_fewer_would_not(
    state: Counted, backlog: Backlog, interest: Interest, rows: int, age: int
) -> None:
    more = Backlog(rows=backlog.rows + rows, oldest=backlog.oldest - age)
    assert is_due(state, more, "p", NOW, interest) or not is_due(state, backlog, "p", NOW, interest)


@given(STATES, BACKLOGS, INTERESTS)
def test_reader__never_makes_a_shop_wait_longer(state: Counted, backlog: Backlog, interest: Interest) -> None:
    read = replace(interest, read_at=NOW)
    assert is_due(state, backlog, "p", NOW, read) or not is_due(state, backlog, "p", NOW, interest)


@given(STATES, BACKLOGS, st.text())
def test_rows__wait_no_longer_than_until_the_next_day_has_begun(state: Counted, backlog: Backlog, shop: str) -> None:
    interest = Interest(day_shift=day_shift_of(shop))
    latest = (backlog.oldest // DAY_MS + 1) * DAY_MS + DAY_ENDS_MS
    now = max(latest, state.at + HOUR_MS)
    assert is_due(state, backlog, "p", now, interest)


@given(STATES, BACKLOGS, INTERESTS)
def test_some_rows__of_a_shop_that_has_rested__wait_an_hour_at_most(
    state: Counted, backlog: Backlog, interest: Interest
) -> None:
    rows = Backlog(rows=max(SOME_ROWS, backlog.rows), oldest=backlog.oldest)
    now = max(backlog.oldest, state.at) + HOUR_MS
    assert is_due(state, rows, "p", now, interest)


@given(STATES, BACKLOGS, INTERESTS)
def test_large_shop__rests(state: Counted, backlog: Backlog, interest: Interest) -> None:
    large = replace(state, plans="p", held=max(state.held, 10**7), at=NOW - 9 * MINUTE_MS)
    assert not is_due(large, backlog, "p", NOW, interest)
