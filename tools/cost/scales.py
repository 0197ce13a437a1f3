"""Tables of what counting costs: by number of shops, by part, and by settings that would change it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from abtest.domain.ledger import dispatching
from tools.cost.counting import MILLION, Counting, Prices, counting_a_day, counts_of_all
from tools.cost.days import Constants

SHOPS = (10, 1_000, 10_000)
EVENTS = (1_000_000, 10_000_000, 100_000_000)
TARGETS: Mapping[int, float] = MappingProxyType({1_000_000: 0.30, 100_000_000: 0.10})
"""Most dollars a million events, by events a day of 1,000 shops with 20 experiments of 28 days."""

DOCUMENTS = "documents of roll-ups"

HOUR = dispatching.HOUR_MS
UNREAD: Mapping[str, float] = MappingProxyType({"read_percent": 0})
SMALLER: Mapping[str, float] = MappingProxyType({"unit_gb": 1.77})
APART: Mapping[str, float] = MappingProxyType({"one_item": 0})

SETTINGS: Sequence[tuple[str, Mapping[str, float], Constants]] = (
    ("as it is", {}, ()),
    ("no one reads", UNREAD, ()),
    ("all shops are read at all times: how it was before", {"read_percent": 100, "read_hours": 24}, ()),
    ("3 hours after a change are 1", {}, (("YOUNG_MS", HOUR),)),
    ("3 hours after a change are 6", {}, (("YOUNG_MS", 6 * HOUR),)),
    ("3 hours after a change are 24", {}, (("YOUNG_MS", 24 * HOUR),)),
    ("200 rows after a change are 50", {}, (("YOUNG_ROWS", 50),)),
    ("1,000 rows that wait an hour are 500", {}, (("SOME_ROWS", 500),)),
    ("1,000 rows that wait an hour are 2,000", {}, (("SOME_ROWS", 2_000),)),
    ("1,000 rows that wait an hour wait half of it", {}, (("LONG_PATIENCE_MS", HOUR // 2),)),
    ("each day in items of its own: how it was before", APART, ()),
    ("the same, no one reads", {**APART, **UNREAD}, ()),
    ("as it is, by workers of 1.77 GB", SMALLER, ()),
    ("the same, no one reads", {**SMALLER, **UNREAD}, ()),
)
"""Constants of the dispatcher, readers, and forms of documents. Workers of 1.77 GB are not built."""


def whole(given: Counting, events_a_day: float, price: Prices) -> float:
    """Dollars a day."""
    return sum(counting_a_day(given, events_a_day, price).values())


def counting_by_scale(given: Counting, price: Prices) -> Iterator[str]:
    """Lines of a table by number of shops and of events."""
    heads = " | ".join(f"{events / MILLION:g} million events a day" for events in EVENTS)
    yield (
        f"| counting a million new events, {given.counting_experiments:g} experiments of {given.counting_days:g} days"
        f" a shop (without documents; counts a shop and day) | {heads} |"
    )
    yield "|---|" + "---|" * len(EVENTS)
    for shops in SHOPS:
        own = replace(given, counting_shops=shops)
        yield f"| {shops:,} shops | " + " | ".join(_cell(own, events, price) for events in EVENTS) + " |"


def counting_by_parts(given: Counting, price: Prices) -> Iterator[str]:
    """Lines of a table with the parts of the price, for the volumes that have a target."""
    yield f"| a million events of {given.counting_shops:,g} shops | " + " | ".join(
        f"{events / MILLION:g} million a day" for events in TARGETS
    ) + " |"  # fmt: skip
    yield "|---|" + "---|" * len(TARGETS)
    costs = [counting_a_day(given, events, price) for events in TARGETS]
    for part, _ in costs[0].most_common():
        yield f"| {part} | " + " | ".join(
            f"{cost[part] * MILLION / events:.3f}" for cost, events in zip(costs, TARGETS, strict=True)
        ) + " |"  # fmt: skip
    sums = [sum(cost.values()) * MILLION / events for cost, events in zip(costs, TARGETS, strict=True)]
    yield "| **together** | " + " | ".join(f"**{one:.2f}**" for one in sums) + " |"
    yield "| target | " + " | ".join(f"{one:.2f}" for one in TARGETS.values()) + " |"


def counting_by_settings(given: Counting, price: Prices) -> Iterator[str]:
    """Lines of a table of constants of the dispatcher, and what they would save."""
    yield f"| {given.counting_shops:,g} shops: when few new rows are counted | " + " | ".join(
        f"{events / MILLION:g} million a day" for events in TARGETS
    ) + " |"  # fmt: skip
    yield "|---|" + "---|" * len(TARGETS)
    for name, changes, constants in SETTINGS:
        changed: dict[str, Any] = {**changes}
        own = replace(given, **changed)
        yield f"| {name} | " + " | ".join(_cell(own, events, price, constants) for events in TARGETS) + " |"


def _cell(given: Counting, events: float, price: Prices, constants: Constants = ()) -> str:
    """Dollars a million events, the same without documents, and the counts of a shop a day."""
    dollars = counting_a_day(given, events, price, constants)
    share, counts = MILLION / events, counts_of_all(given, events, constants) / given.counting_shops
    together = sum(dollars.values())
    often = f"{counts:.0f}" if counts >= 10 else f"{counts:.1f}"
    return f"{together * share:.2f} ({(together - dollars[DOCUMENTS]) * share:.2f}; {often})"
