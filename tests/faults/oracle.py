"""What the results must be, written down from what was sent: plain dictionaries, none of the product's code.

An event is a dictionary: `id`, `visitor`, `kind` (`seen`, `click`, `signup`, `order`, `refund`), `at` (when it truly
happened, Unix ms), `qa`; of `seen` also `experiment`, `variation`, `device`; of money `order`, `minor`, `currency`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

Event = Mapping[str, Any]
Numbers = tuple[int, int, int, int]
"""Converters, count, sum, sum of squares."""

DAY = 24 * 3600 * 1000


def expected(events: Iterable[Event], received: Mapping[str, int], experiment: str, begins: int) -> dict[str, Any]:
    """Visitors and goals of one experiment; `received` is when the first copy of each event was taken in, in Unix ms.

    An event that was never taken in counts nowhere. One that claims to come from the future happened when it came.
    """
    happened = [
        {**event, "at": min(event["at"], received[event["id"]])}
        for event in {event["id"]: event for event in events}.values()
        if event["id"] in received and not event["qa"]
    ]
    counted = sorted((event for event in happened if event["at"] >= begins), key=lambda e: (e["at"], e["id"]))
    seen: dict[str, Event] = {}
    variations: defaultdict[str, set[str]] = defaultdict(set)
    for event in counted:
        if event["kind"] == "seen" and event["experiment"] == experiment:
            seen.setdefault(event["visitor"], event)
            variations[event["visitor"]].add(event["variation"])
    faithful = {visitor: event for visitor, event in seen.items() if len(variations[visitor]) == 1}
    return {
        "visitors": _tally((event["variation"],) for event in faithful.values()),
        "visitors by day": _tally((event["variation"], event["at"] // DAY) for event in faithful.values()),
        "visitors by device": _tally(
            (event["variation"], event["at"] // DAY, event["device"]) for event in faithful.values()
        ),
        "multiple": len(seen) - len(faithful),
        "click": _goal(counted, faithful, "click", each_counts=False),
        "signup": _goal(counted, faithful, "signup", each_counts=True),
        "revenue": _revenue(counted, faithful),
        "foreign": _foreign(counted, faithful),
    }


def _tally(keys: Iterable[tuple[Any, ...]]) -> dict[tuple[Any, ...], int]:
    found: dict[tuple[Any, ...], int] = {}
    for key in keys:
        found[key] = found.get(key, 0) + 1
    return found


def _goal(
    events: Iterable[Event], faithful: Mapping[str, Event], kind: str, *, each_counts: bool
) -> dict[str, Numbers]:
    hits: dict[str, int] = {}
    for event in events:
        exposure = faithful.get(event["visitor"])
        if event["kind"] == kind and exposure is not None and event["at"] >= exposure["at"]:
            hits[event["visitor"]] = hits.get(event["visitor"], 0) + 1 if each_counts else 1
    return _summed({visitor: (number, number) for visitor, number in hits.items()}, faithful)


def _orders(events: Iterable[Event], faithful: Mapping[str, Event]) -> list[Event]:
    """An order counts once, as the first event that names it, and only if that one's visitor was exposed before."""
    first: dict[str, Event] = {}
    for event in events:
        if event["kind"] == "order":
            first.setdefault(event["order"] or f"alone {event['id']}", event)
    return [
        order
        for order in first.values()
        if order["visitor"] in faithful and order["at"] >= faithful[order["visitor"]]["at"]
    ]


def _revenue(events: list[Event], faithful: Mapping[str, Event]) -> dict[str, Numbers]:
    refunded: dict[str, int] = {}
    for event in events:
        if event["kind"] == "refund":
            refunded[event["order"]] = refunded.get(event["order"], 0) + event["minor"]
    totals: dict[str, tuple[int, int]] = {}
    for order in _orders(events, faithful):
        if order["currency"] == "EUR":
            number, total = totals.get(order["visitor"], (0, 0))
            worth = max(0, order["minor"] - refunded.get(order["order"], 0))
            totals[order["visitor"]] = (number + 1, total + worth)
    return _summed(totals, faithful)


def _foreign(events: list[Event], faithful: Mapping[str, Event]) -> dict[str, int]:
    found: dict[str, int] = {}
    for order in _orders(events, faithful):
        if order["currency"] != "EUR":
            variation = faithful[order["visitor"]]["variation"]
            found[variation] = found.get(variation, 0) + 1
    return found


def _summed(totals: Mapping[str, tuple[int, int]], faithful: Mapping[str, Event]) -> dict[str, Numbers]:
    found: dict[str, Numbers] = {}
    for visitor, (number, total) in totals.items():
        variation = faithful[visitor]["variation"]
        converters, count, total_sum, squares = found.get(variation, (0, 0, 0, 0))
        found[variation] = (converters + 1, count + number, total_sum + total, squares + total * total)
    return found
