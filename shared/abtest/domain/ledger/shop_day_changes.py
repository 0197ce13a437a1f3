"""Changes of a shop's day whose rows were replaced in part, without counting the other rows again.

A `ShopDay` has numbers of visitors, events and orders, and sums of money. Each part of them belongs to one visitor,
event or order. So days of sets of rows that share none of these can be added and subtracted, like `Counts`.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import TypeVar

from abtest.domain.ledger.cells import Money
from abtest.domain.ledger.shop_days import SegmentCount, ShopDay, Stitch, shop_day

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


def changed(day: ShopDay, before: ShopDay, after: ShopDay) -> ShopDay:
    """Replace the counts of `before`, whose rows were all counted in `day`, by those of `after`.

    The other rows of the day share no visitor, event id or order id with the rows of both. All three are of one shop,
    date and currency.
    """
    return replace(
        day,
        activity=_changed(_number, 0, day.activity, before.activity, after.activity),
        orders=_changed(
            lambda stored, old, new: stored.plus(old, -1).plus(new), Money(), day.orders, before.orders, after.orders
        ),
        repeated_orders=_number(*(counted.repeated_orders or 0 for counted in (day, before, after))),
        events=_changed(_number, 0, day.events, before.events, after.events),
        steps={name: _number(day.steps[name], before.steps[name], after.steps[name]) for name in day.steps},
        segments={
            dimension: _changed(
                lambda *counts: SegmentCount(*map(_number, *counts)),
                SegmentCount(),
                counts,
                before.segments[dimension],
                after.segments[dimension],
            )
            for dimension, counts in day.segments.items()
        },
        stitch=Stitch(*map(_number, day.stitch, before.stitch, after.stitch)),
    )


def plus(day: ShopDay, other: ShopDay) -> ShopDay:
    """Return the counts of both, whose rows share no visitor, event id and order id."""
    return changed(day, _without_counts(day), other)


def minus(day: ShopDay, part: ShopDay) -> ShopDay:
    """Return the counts of the day without those of a part of its rows, which shares none of these with the others."""
    return changed(day, part, _without_counts(day))


def _without_counts(day: ShopDay) -> ShopDay:
    return shop_day((), day.shop_id, day.date, day.currency)


def _changed(
    one: Callable[[Value, Value, Value], Value],
    nothing: Value,
    stored: Mapping[Key, Value],
    before: Mapping[Key, Value],
    after: Mapping[Key, Value],
) -> dict[Key, Value]:
    """Change entry by entry; an entry that becomes `nothing` is removed."""
    entries = dict(stored)
    for key in {**before, **after}:
        value = one(entries.get(key, nothing), before.get(key, nothing), after.get(key, nothing))
        if value == nothing:
            entries.pop(key, None)
        else:
            entries[key] = value
    return entries


def _number(stored: int, before: int, after: int) -> int:
    return stored - before + after
