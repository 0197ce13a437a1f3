"""How often a shop is counted, and how many new rows each count has: `is_due` itself, on days in virtual time.

Nothing is random: sessions of visitors arrive evenly, experiments start and end evenly, and a shop that is read is read
at the same hours of each day. So a table is the same at each run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from abtest.domain.ledger import dispatching
from abtest.domain.ledger.dispatching import DAY_MS, HOUR_MS, MINUTE_MS, Backlog, Counted, Interest, is_due

WARM_UP, DAYS = 1, 14
READING_BEGINS_MS = 9 * HOUR_MS
DAY_SHIFT_MS = (dispatching.DAY_BEGINS_MS + dispatching.DAY_ENDS_MS) // 2

Constants = tuple[tuple[str, int], ...]
"""Constants of `domain.ledger.dispatching` that differ, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shop:
    """A shop with so many events a day, in sessions of so many, and so many rows that it holds.

    `start_every` and `end_every`: ms between two starts of experiments, and between other changes of plans; 0 for none.
    `read_ms`: for how long its results are read each day. `turn`: ms between two runs of the dispatcher.
    """

    events: float
    session: float
    held: int
    start_every: float
    end_every: float
    read_ms: int
    turn: int


@cache
def counts_of(shop: Shop, constants: Constants = ()) -> Mapping[int, float]:
    """Return how many counts a day have so many new rows."""
    with changed(constants):
        return {rows: number / DAYS for rows, number in Counter(_rows_of_counts(shop)).items()}


def _rows_of_counts(shop: Shop) -> Iterator[int]:
    begin, end = WARM_UP * DAY_MS, (WARM_UP + DAYS) * DAY_MS
    pause = DAY_MS * shop.session / shop.events if shop.events else float("inf")
    starts, ends = (_moments(every, shift) for every, shift in ((shop.start_every, 0.3), (shop.end_every, 0.8)))
    next_start, next_end = next(starts), next(ends)
    state = Counted(at=0, plans="p", plans_since=0, held=shop.held, has_failed=False)
    sessions, counted, oldest, digest, changed_at = 0, 0, 0, "p", 0
    for now in range(shop.turn, end, shop.turn):
        arrived = int((now - pause / 2) // pause) + 1 if pause < end else 0
        if arrived > sessions:
            oldest = int(pause / 2 + sessions * pause) if sessions == counted else oldest
            sessions = arrived
        while next_start <= now:
            digest, changed_at, next_start = "q", int(next_start), next(starts)
        while next_end <= now:
            digest, next_end = "q", next(ends)
        rows = int((sessions - counted) * shop.session)
        if not rows and digest == state.plans:
            continue
        backlog = Backlog(rows=rows, oldest=oldest) if rows else None
        if is_due(state, backlog, digest, now, _interest(shop, now)):
            if now >= begin:
                yield rows
            counted, digest = sessions, "p"
            state = Counted(at=now, plans="p", plans_since=changed_at, held=shop.held, has_failed=False)


def _interest(shop: Shop, now: int) -> Interest:
    if not shop.read_ms:
        return Interest(day_shift=DAY_SHIFT_MS)
    began = (now - READING_BEGINS_MS) // DAY_MS * DAY_MS + READING_BEGINS_MS
    return Interest(read_at=min(now, began + shop.read_ms), day_shift=DAY_SHIFT_MS)


def _moments(every: float, shift: float) -> Iterator[float]:
    number = shift
    while every:
        yield number * every
        number += 1
    while True:
        yield float("inf")


@contextmanager
def changed(constants: Constants) -> Iterator[None]:
    """Let constants of the dispatcher have other values."""
    before = [(name, getattr(dispatching, name)) for name, _ in constants]
    try:
        for name, value in constants:
            setattr(dispatching, name, value)
        yield
    finally:
        for name, value in before:
            setattr(dispatching, name, value)


def minutes(number: float) -> int:
    """Return minutes in ms."""
    return int(number * MINUTE_MS)
