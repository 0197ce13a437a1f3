"""Evidence that something has changed since some hour: sums over all hours at which it may have begun."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, log
from typing import Literal

from tests.stories.book import QUARTER, Book, Counts
from tests.stories.evidence import log_of_sum, log_ratios_of_fewer, log_ratios_of_less
from tests.stories.shoppers import HOUR

LEVELS: Mapping[str, float] = {
    "broken_conversion": 0.001,
    "conversion_harm": 0.01,
    "revenue_harm": 0.005,
    "sample_ratio_mismatch": 0.01,
}
"""Of one treatment in 28 days."""

LEFT: Mapping[str, Mapping[float, float]] = {
    "broken_conversion": {0.05: 0.5, 0.2: 0.5},
    "conversion_harm": {0.1: 0.1, 0.5: 0.8, 0.75: 0.1},
    "sample_ratio_mismatch": {0.5: 1 / 3, 0.7: 1 / 3, 0.85: 1 / 3},
}
"""What a change may leave of an arm's counts, with prior weights."""

FALLS: Mapping[float, float] = {0.2: 0.25, 0.4: 0.5, 0.8: 0.25}
"""By how much the logarithm of what a buyer spends may fall, with prior weights."""

WEIGHT_OF_AN_HOUR = 1 / (28 * 24)
DAYS_READ = 14
DEGREES = 10
"""Of freedom that a class of values must have."""

ALONE, WIDER, LAST = 8, 1.25, 40
"""Up to so many buyers a class of their own; from there on by how much each is wider; the number of the last."""

Column = Literal["visitors", "reached", "buyers"]


@dataclass(frozen=True)
class Change:
    """The evidence in logarithms, and the quarter of an hour since 1970 from which on it most probably is there."""

    log_e: float
    since: int


def fewer(
    book: Book, column: Column, arms: tuple[str, str], share: float, left: Mapping[float, float], now: int
) -> Change | None:
    """Evidence that the second arm lost a part of its share; None before the first hour. `now` is in Unix ms."""
    hours = _hours(book, now)
    control, treatment = (_hourly(book.quarters(arm), column, hours) for arm in arms)
    return _summed(log_ratios_of_fewer(control, treatment, share=share, odds=left), hours)


def less_money(book: Book, now: int) -> Change | None:
    """Evidence that buyers of the treatment came to spend less; None as long as they cannot be compared."""
    hours = _hours(book, now)
    control, treatment = (list(_values(book.quarters(arm), hours)) for arm in book.variations)
    return _summed(log_ratios_of_less(control, treatment, hours=len(hours), falls=FALLS, degrees=DEGREES), hours)


def _hours(book: Book, now: int) -> range:
    """The hours since 1970 in which a change may have begun: of whole quarters, of today and 14 days before."""
    day = 24 * HOUR
    first_quarter = max(-(-book.begins // QUARTER), (now // day - DAYS_READ) * day // QUARTER)
    return range(first_quarter * QUARTER // HOUR, -(-now // HOUR))


def _hourly(quarters: Mapping[int, Counts], column: Column, hours: range) -> Sequence[int]:
    hourly = [0] * len(hours)
    for quarter, counts in quarters.items():
        if (hour := quarter * QUARTER // HOUR) in hours:
            hourly[hour - hours.start] += getattr(counts, column)
    return hourly


def _values(quarters: Mapping[int, Counts], hours: range) -> Iterator[tuple[int, int, float]]:
    """The value of each quarter of an hour with buyers: nearly the mean logarithm of what one of them spends."""
    for quarter, counts in quarters.items():
        if (hour := quarter * QUARTER // HOUR) in hours and counts.money:
            buyers = counts.buyers
            value = 2 * log(counts.money / buyers) - 0.5 * log(counts.squares / buyers)
            place = buyers if buyers <= ALONE else ALONE + ceil(log(buyers / ALONE) / log(WIDER))
            yield hour - hours.start, min(place, LAST), value


def _summed(ratios: Sequence[float] | None, hours: range) -> Change | None:
    """The sum over all beginnings, each of the weight of an hour, and the most probable one."""
    if not ratios:
        return None
    best = max(range(len(ratios)), key=ratios.__getitem__)
    log_e = log_of_sum((WEIGHT_OF_AN_HOUR, ratio) for ratio in ratios)
    return Change(log_e, hours[best] * HOUR // QUARTER)
