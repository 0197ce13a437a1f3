"""A shop's day after some of its rows were replaced: days are sums over visitors, so what is left out is not counted.

Everything in a `ShopDay` is a number of visitors, events or orders, or a sum of money, and each of them belongs to one
visitor, event or order. So days of sets of rows that share none of these may be added and taken away, like `Counts`.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from abtest.domain.ledger.cells import Money
from abtest.domain.ledger.shop_days import SegmentCount, ShopDay, Stitch

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def changed(day: ShopDay, before: ShopDay, after: ShopDay) -> ShopDay:
    """The day with what `after` counted in the place of `before`, whose rows were all counted in `day`.

    No row of the day that was left out of both shares a visitor, an event id or an order id with one that was not. All
    three are of one shop, date and currency.
    """
    return replace(
        day,
        activity=_changed(_number, 0, day.activity, before.activity, after.activity),
        orders=_changed(_money, Money(), day.orders, before.orders, after.orders),
        repeated_orders=_number(*(counted.repeated_orders or 0 for counted in (day, before, after))),
        events=_changed(_number, 0, day.events, before.events, after.events),
        steps={name: _number(day.steps[name], before.steps[name], after.steps[name]) for name in day.steps},
        segments={
            dimension: _changed(_segment, SegmentCount(), counts, before.segments[dimension], after.segments[dimension])
            for dimension, counts in day.segments.items()
        },
        stitch=Stitch(*map(_number, day.stitch, before.stitch, after.stitch)),
    )


def _changed(
    one: Callable[[Value, Value, Value], Value],
    nothing: Value,
    standing: Mapping[Key, Value],
    before: Mapping[Key, Value],
    after: Mapping[Key, Value],
) -> dict[Key, Value]:
    """Entry by entry; what becomes nothing goes."""
    found = dict(standing)
    for key in {**before, **after}:
        value = one(found.get(key, nothing), before.get(key, nothing), after.get(key, nothing))
        if value == nothing:
            found.pop(key, None)
        else:
            found[key] = value
    return found


def _number(standing: int, before: int, after: int) -> int:
    return standing - before + after


def _money(standing: Money, before: Money, after: Money) -> Money:
    return standing.plus(before, -1).plus(after)


def _segment(*counts: SegmentCount) -> SegmentCount:
    numbers: Any = zip(*counts, strict=True)
    return SegmentCount(*(_number(*each) for each in numbers))
