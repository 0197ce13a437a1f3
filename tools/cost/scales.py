"""Tables of what counting costs: by number of shops, by part, and by settings that would change it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from tools.cost.counting import MILLION, Counting, Prices, counting_a_day, counts_of_all

SHOPS = (10, 1_000, 10_000)
EVENTS = (1_000_000, 10_000_000, 100_000_000)
TARGETS: Mapping[int, float] = MappingProxyType({1_000_000: 0.30, 100_000_000: 0.10})
"""Most dollars a million events, by events a day of 1,000 shops with 20 experiments of 28 days."""

DOCUMENTS = "documents of roll-ups"

SETTINGS: Mapping[str, Mapping[str, float]] = {
    "as it is": {},
    "at every pause of the dispatcher, whatever is new": {"most_patience_minutes": 0},
    "after 30 minutes from the first day on": {"patience_percent": 1e6},
    "after 2 hours": {"patience_percent": 1e6, "most_patience_minutes": 120},
    "after 6 hours": {"patience_percent": 1e6, "most_patience_minutes": 360},
    "when they are a hundredth of all, or after 6 hours": {"share_percent": 1, "most_patience_minutes": 360},
    "after 2 hours, by workers of 1.77 GB": {"patience_percent": 1e6, "most_patience_minutes": 120, "unit_gb": 1.77},
    "the same, the newest day in the item of the totals": {
        "patience_percent": 1e6,
        "most_patience_minutes": 120,
        "unit_gb": 1.77,
        "one_item": 1,
    },
    "the same after 6 hours": {
        "patience_percent": 1e6,
        "most_patience_minutes": 360,
        "unit_gb": 1.77,
        "one_item": 1,
    },
    "the same after 12 hours": {
        "patience_percent": 1e6,
        "most_patience_minutes": 720,
        "unit_gb": 1.77,
        "one_item": 1,
    },
}
"""When few new rows of a shop are counted. Only the first line is built."""


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
    for name, changes in SETTINGS.items():
        changed: dict[str, Any] = {**changes}
        own = replace(given, **changed)
        yield f"| {name} | " + " | ".join(_cell(own, events, price) for events in TARGETS) + " |"


def _cell(given: Counting, events: float, price: Prices) -> str:
    """Dollars a million events, the same without documents, and the counts of a shop a day."""
    dollars = counting_a_day(given, events, price)
    share, counts = MILLION / events, counts_of_all(given, events) / given.counting_shops
    together = sum(dollars.values())
    return f"{together * share:.2f} ({(together - dollars[DOCUMENTS]) * share:.2f}; {counts:.0f})"
