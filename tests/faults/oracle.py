"""What the results must be, written down from what was sent: plain dictionaries, none of the product's code.

An event is a dictionary: `id`, `visitor`, `kind` (`seen`, `click`, `signup`, `order`, `refund`), `at` (when it truly
happened, Unix ms), `qa`, `device`, `skew` (of the visitor's clock, in ms); of `seen` also `experiment`, `variation`; of
`signup` also `plan`; of money `order`, `minor`, `currency`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

Event = Mapping[str, Any]
Numbers = tuple[int, int, int, int]
"""Converters, count, sum, sum of squares."""

DAY = 24 * 3600 * 1000
AT_ANY_TIME = 90 * DAY
LARGE = 100_00
"""From so many cents on an order is large."""


def expected(events: Iterable[Event], received: Mapping[str, int], experiment: str, begins: int) -> dict[str, Any]:
    """Visitors and goals of one experiment; `received` is when the first copy of each event was taken in, in Unix ms.

    An event that was never taken in counts nowhere. One that claims to come from the future happened when it came.
    """
    counted = [event for event in _happened(events, received) if event["at"] >= begins]
    seen: dict[str, dict[str, Any]] = {}
    variations: defaultdict[str, set[str]] = defaultdict(set)
    for event in sorted(counted, key=_in_senders_order):
        if event["kind"] == "seen" and event["experiment"] == experiment:
            first = seen.setdefault(event["visitor"], dict(event))
            first["at"] = min(first["at"], event["at"])
            variations[event["visitor"]].add(event["variation"])
    faithful = {visitor: event for visitor, event in seen.items() if len(variations[visitor]) == 1}
    return {
        "visitors": _tally((event["variation"],) for event in faithful.values()),
        "visitors by day": _tally((event["variation"], event["at"] // DAY) for event in faithful.values()),
        "visitors by device": _tally(
            (event["variation"], event["at"] // DAY, event["device"]) for event in faithful.values()
        ),
        "multiple": len(seen) - len(faithful),
        "click": _goal(_of_kind(counted, "click"), faithful, AT_ANY_TIME, each_counts=False),
        "signup": _goal(_of_kind(counted, "signup"), faithful, DAY, each_counts=True),
        "paying": _goal(_paying(counted), faithful, AT_ANY_TIME, each_counts=True),
        "revenue": _revenue(counted, _orders(counted, faithful, AT_ANY_TIME), faithful),
        "large": _revenue(counted, _large(_orders(counted, faithful, DAY)), faithful),
        "foreign": _foreign(_orders(counted, faithful, AT_ANY_TIME), faithful),
    }


def expected_days(events: Iterable[Event], received: Mapping[str, int]) -> dict[int, dict[str, Any]]:
    """By UTC day since 1970 on which anything happened: visitors, events by kind, buyers, and orders by currency."""
    happened = _happened(events, received)
    found: dict[int, dict[str, Any]] = {}
    for day in {event["at"] // DAY for event in happened}:
        today = [event for event in happened if event["at"] // DAY == day]
        orders = [order for order in _first_of_each_order(_since(happened, day - 7)) if order["at"] // DAY == day]
        refunds = _refunds(_since(happened, day - 7))
        found[day] = {
            "visitors": len({event["visitor"] for event in today if event["kind"] != "refund"}),
            "events": {kind: number for (kind,), number in _tally((event["kind"],) for event in today).items()},
            "buyers": len({order["visitor"] for order in orders}),
            "orders": {currency: number for (currency,), number in _tally((o["currency"],) for o in orders).items()},
            "revenue": sum(_worth(order, refunds) for order in orders if order["currency"] == "EUR"),
        }
    return found


def _happened(events: Iterable[Event], received: Mapping[str, int]) -> list[Event]:
    """What counts at all, in the order in which it happened; `by_sender` is the time that the shopper's browser has."""
    found = [
        {**event, "at": min(event["at"], received[event["id"]]), "by_sender": event["at"]}
        for event in {event["id"]: event for event in events}.values()
        if event["id"] in received and not event["qa"]
    ]
    return sorted(found, key=lambda event: (event["at"], event["id"]))


def _in_senders_order(event: Event) -> tuple[bool, int, str]:
    """The order of what is first: by the sender's clock, and last where that clock was corrected."""
    return event["skew"] != 0, event["by_sender"], event["id"]


def _since(events: Iterable[Event], day: int) -> list[Event]:
    return [event for event in events if event["at"] >= day * DAY]


def _of_kind(events: Iterable[Event], kind: str) -> list[Event]:
    return [event for event in events if event["kind"] == kind]


def _paying(events: Iterable[Event]) -> list[Event]:
    return [event for event in _of_kind(events, "signup") if event["plan"] == "paying"]


def _large(orders: Iterable[Event]) -> list[Event]:
    return [order for order in orders if order["minor"] >= LARGE]


def _tally(keys: Iterable[tuple[Any, ...]]) -> dict[tuple[Any, ...], int]:
    found: dict[tuple[Any, ...], int] = {}
    for key in keys:
        found[key] = found.get(key, 0) + 1
    return found


def _goal(
    hits: Iterable[Event], faithful: Mapping[str, Event], window: int, *, each_counts: bool
) -> dict[str, Numbers]:
    numbers: dict[str, int] = {}
    for hit in hits:
        if _is_within(hit, faithful, window):
            numbers[hit["visitor"]] = numbers.get(hit["visitor"], 0) + 1 if each_counts else 1
    return _summed({visitor: (number, number) for visitor, number in numbers.items()}, faithful)


def _is_within(hit: Event, faithful: Mapping[str, Event], window: int) -> bool:
    exposure = faithful.get(hit["visitor"])
    if exposure is None or hit["at"] >= exposure["at"] + window:
        return False
    # Of one sender the order is known, whenever its requests arrive.
    return bool(hit["by_sender"] >= exposure["by_sender"])


def _first_of_each_order(events: Iterable[Event]) -> list[Event]:
    """An order counts once, as the first event that names it; one without a name is one of its own."""
    first: dict[str, Event] = {}
    for event in _of_kind(events, "order"):
        first.setdefault(event["order"] or f"alone {event['id']}", event)
    return list(first.values())


def _orders(events: Iterable[Event], faithful: Mapping[str, Event], window: int) -> list[Event]:
    """What else names the order counts not even where the first one's visitor was not exposed."""
    ordered = sorted(events, key=_in_senders_order)
    return [order for order in _first_of_each_order(ordered) if _is_within(order, faithful, window)]


def _refunds(events: Iterable[Event]) -> dict[str, int]:
    refunded: dict[str, int] = {}
    for event in _of_kind(events, "refund"):
        refunded[event["order"]] = refunded.get(event["order"], 0) + event["minor"]
    return refunded


def _worth(order: Event, refunds: Mapping[str, int]) -> int:
    left: int = order["minor"] - refunds.get(order["order"], 0)
    return max(0, left)


def _revenue(events: Iterable[Event], orders: Iterable[Event], faithful: Mapping[str, Event]) -> dict[str, Numbers]:
    refunds = _refunds(events)
    totals: dict[str, tuple[int, int]] = {}
    for order in orders:
        if order["currency"] == "EUR":
            number, total = totals.get(order["visitor"], (0, 0))
            totals[order["visitor"]] = (number + 1, total + _worth(order, refunds))
    return _summed(totals, faithful)


def _foreign(orders: Iterable[Event], faithful: Mapping[str, Event]) -> dict[str, int]:
    variations = ((faithful[order["visitor"]]["variation"],) for order in orders if order["currency"] != "EUR")
    return {variation: number for (variation,), number in _tally(variations).items()}


def _summed(totals: Mapping[str, tuple[int, int]], faithful: Mapping[str, Event]) -> dict[str, Numbers]:
    found: dict[str, Numbers] = {}
    for visitor, (number, total) in totals.items():
        variation = faithful[visitor]["variation"]
        converters, count, total_sum, squares = found.get(variation, (0, 0, 0, 0))
        found[variation] = (converters + 1, count + number, total_sum + total, squares + total * total)
    return found
