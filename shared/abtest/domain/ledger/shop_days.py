"""Counts of a shop's rows of one UTC day, for analytics without an experiment (docs/data-model.md, section 5)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from abtest.domain.ledger.cells import DIMENSIONS, QUARTER_MS, UNKNOWN, Money
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY, date_of, day_of
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.exposures import segment_of
from abtest.domain.ledger.goal_counts import refunded, without_repeated_orders
from abtest.domain.ledger.plans import SHOP_REVENUE
from abtest.domain.ledger.rows import HitMoney, happened_at, money_of
from abtest.domain.ledger.shop_rows import Event, ShopRows

# In quarters: the longest day of a time zone has 25 hours.
MAX_GAP = 99

# Longest time from a visitor's page view to a stitched order; also how far back a day's rows reach.
STITCH_MS = 7 * DAY_MS

# Events that are not activity of a visitor.
PASSIVE = frozenset({"refund", "sdk_error", "sdk_perf", "edge_perf"})

STEPS = ("visited", "added_to_cart", "started_checkout", "purchased")
# Step that a visitor reaches with a custom event, by the event's name.
STEP_EVENTS = {"add_to_cart": STEPS.index("added_to_cart"), "checkout_started": STEPS.index("started_checkout")}

# Events that show that a visitor was on the storefront.
SEEN = frozenset({"pageview", "experiment_viewed"})


class Activity(NamedTuple):
    """A quarter of the day (0..95), and quarters since the visitor's last active one: 1..99, 0 is longer ago."""

    quarter: int
    gap: int


class OrderCell(NamedTuple):
    """Orders of a quarter of the day (0..95); `kind` is `own`, `converted`, `foreign` or `unknown`.

    `currency` is the shop's for own, the sender's for others, empty when unknown.
    """

    quarter: int
    kind: str
    currency: str


class SegmentCount(NamedTuple):
    """Visitors of the day in a segment, their orders, and the known money (own, converted) of `paid` of these."""

    visitors: int = 0
    orders: int = 0
    minor: int = 0
    paid: int = 0


class Stitch(NamedTuple):
    """Orders of the day, and those whose visitor had a page view or exposure in the seven days before."""

    orders: int = 0
    stitched: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopDay:
    """Fields of the document. `date` is `YYYY-MM-DD`; no entry of a mapping is zero except in `steps`, which has four.

    `repeated_orders` is None in documents of an older release.
    """

    shop_id: str
    date: str
    currency: str
    activity: Mapping[Activity, int] = field(default_factory=dict)
    orders: Mapping[OrderCell, Money] = field(default_factory=dict)
    repeated_orders: int | None = 0
    events: Mapping[str, int] = field(default_factory=dict)
    steps: Mapping[str, int] = field(default_factory=dict)
    segments: Mapping[str, Mapping[str, SegmentCount]] = field(default_factory=dict)
    stitch: Stitch = field(default_factory=Stitch)


class OrderMoment(NamedTuple):
    """A row that reports an order, whether it counts or not; `order_id` is empty when the row names none."""

    order_id: str
    visitor_id: str
    happened_at: int


class Order(NamedTuple):
    """An event that counts as an order, and its money less refunds in `minor`."""

    event: Event
    money: HitMoney
    minor: int


def shop_day(rows: Iterable[Row], shop_id: str, date: str, currency: str) -> ShopDay:
    """Count one UTC day (`YYYY-MM-DD`) of a shop from rows in any order, with any repeats.

    Rows must reach back seven days before the date; older ones do not count. Refunds may be later than the date.
    """
    return count_day(ShopRows(row for row in rows if row["shop_id"] == shop_id), shop_id, date, currency)


def count_day(rows: ShopRows, shop_id: str, date: str, currency: str) -> ShopDay:
    """Count one UTC day as `shop_day` does; `rows` are the shop's."""
    starts = day_of(date) * DAY_MS
    week = rows.between(starts - STITCH_MS, starts + DAY_MS)
    of_the_day = [event for event in week if event.at >= starts]
    active = [event for event in of_the_day if event.row["type"] not in PASSIVE]
    orders = orders_of_day(rows, starts, currency)
    return ShopDay(
        shop_id=shop_id,
        date=date,
        currency=currency,
        activity=activity_by_quarter(week, starts),
        orders=orders_by_quarter(orders, starts),
        repeated_orders=repeated_orders(rows, starts),
        events=dict(Counter(event.row["type"] for event in of_the_day)),
        steps=visitors_by_step(active, orders),
        segments=segment_counts(active, orders),
        stitch=stitching(week, orders),
    )


def touched_days(rows: Iterable[Row], orders: Iterable[OrderMoment]) -> frozenset[str]:
    """Return the dates (`YYYY-MM-DD`) of shop days that these rows may change.

    `rows` are the new rows, and copies with the rows that they replace. `orders` are the shop's, with those among the
    new rows: at least those that share an order id or a visitor with the rows. The result may have days without events.
    """
    by_id: defaultdict[str, list[int]] = defaultdict(list)
    by_visitor: defaultdict[str, list[int]] = defaultdict(list)
    for order in orders:
        by_id[order.order_id].append(order.happened_at)
        by_visitor[order.visitor_id].append(order.happened_at)
    days: set[int] = set()
    for row in (row for row in rows if not row["qa_mode"]):
        at = happened_at(row)
        # The gap to the visitor's next active quarter may be on the next day or the one after.
        reach = 0 if row["type"] in PASSIVE else MAX_GAP * QUARTER_MS
        # Gaps are between quarters, so the reach is from the begin of the quarter and not from the event.
        days.update(range(at // DAY_MS, (at // QUARTER_MS * QUARTER_MS + reach) // DAY_MS + 1))
        # A refund or a repetition changes the day of the order as well as its own.
        if row["order_id"]:
            days.update(moment // DAY_MS for moment in by_id.get(row["order_id"], ()))
        # A page view may stitch orders of the next seven days.
        if row["type"] in SEEN:
            moments = by_visitor.get(row["visitor_id"], ())
            days.update(moment // DAY_MS for moment in moments if at <= moment <= at + STITCH_MS)
    return frozenset(map(date_of, days))


def distinct_visitors(days: Iterable[ShopDay], start: int, end: int) -> int:
    """Count the visitors active in a window of whole quarters of an hour, at most 25 hours: a day of any time zone.

    `start` and `end` (excluded) are Unix milliseconds; `days` are those that overlap the window, each once. Raises
    ValueError for any other window.
    """
    if start % QUARTER_MS or end % QUARTER_MS or not 0 <= end - start <= (MAX_GAP + 1) * QUARTER_MS:
        raise ValueError("a window must have at most 100 whole quarters of an hour")
    first, last = start // QUARTER_MS, end // QUARTER_MS
    total = 0
    for day in days:
        midnight = day_of(day.date) * QUARTERS_A_DAY
        for (quarter, gap), visitors in day.activity.items():
            at = midnight + quarter
            # Only a visitor's first active quarter of the window counts: the one before it is outside.
            if first <= at < last and (gap == 0 or gap > at - first):
                total += visitors
    return total


def orders_of_day(rows: ShopRows, starts: int, currency: str) -> list[Order]:
    """Return the orders of the day that begins at `starts`, each once, with their money less refunds."""
    since = starts - STITCH_MS
    events = without_repeated_orders(rows.select(SHOP_REVENUE.signals, since), lambda event: event.in_time)
    events = [event for event in events if starts <= event.at < starts + DAY_MS]
    # Refunds of any later time.
    refunds = refunded((event.row for event in rows.select([("refund", None)], since)), currency) if events else {}
    orders: list[Order] = []
    for event in events:
        money = money_of(event.row, currency)
        # `refunded` has the shop's currency only, which cannot be subtracted from other money.
        refund = refunds.get(event.row["order_id"] or "", 0) if money.is_known else 0
        orders.append(Order(event, money, max(0, money.minor - refund)))
    return orders


def repeated_orders(rows: ShopRows, starts: int) -> int:
    """Count the order ids with several events, if the first event is on the day."""
    moments_by_id: defaultdict[str, list[int]] = defaultdict(list)
    for event in rows.select([("order", None)], starts - STITCH_MS):
        if event.row["order_id"]:
            moments_by_id[event.row["order_id"]].append(event.at)
    return sum(len(moments) > 1 and starts <= min(moments) < starts + DAY_MS for moments in moments_by_id.values())


def orders_by_quarter(orders: Iterable[Order], starts: int) -> dict[OrderCell, Money]:
    """Count orders and their money by quarter of the day, kind of money and currency."""
    cells: defaultdict[OrderCell, Money] = defaultdict(Money)
    for order in orders:
        cell = OrderCell((order.event.at - starts) // QUARTER_MS, order.money.kind, order.money.currency)
        cells[cell] = cells[cell].plus(Money(1, order.minor))
    return dict(cells)


def activity_by_quarter(events: Iterable[Event], starts: int) -> dict[Activity, int]:
    """Count active visitors by quarter of the day and gap to their quarter before, which may be on an earlier day."""
    quarters: defaultdict[str, set[int]] = defaultdict(set)
    for row, at, _ in events:
        if at >= starts - MAX_GAP * QUARTER_MS and row["type"] not in PASSIVE:
            quarters[row["visitor_id"]].add((at - starts) // QUARTER_MS)
    counts: Counter[Activity] = Counter()
    for visited in quarters.values():
        before: int | None = None
        for quarter in sorted(visited):
            gap = 0 if before is None or quarter - before > MAX_GAP else quarter - before
            before = quarter
            if 0 <= quarter < QUARTERS_A_DAY:
                counts[Activity(quarter, gap)] += 1
    return dict(counts)


def visitors_by_step(active: Iterable[Event], orders: Iterable[Order]) -> dict[str, int]:
    """Count the visitors who reached each step; a later step includes the earlier ones."""
    reached: dict[str, int] = {}
    for row, *_ in active:
        step = STEP_EVENTS.get(row["event_name"] or "", 0) if row["type"] == "custom" else 0
        reached[row["visitor_id"]] = max(step, reached.get(row["visitor_id"], 0))
    # After the other steps, which this one exceeds: a purchase without a cart event still counts for all steps.
    reached |= dict.fromkeys((order.event.row["visitor_id"] for order in orders), STEPS.index("purchased"))
    return {name: sum(furthest >= step for furthest in reached.values()) for step, name in enumerate(STEPS)}


def segment_counts(active: Iterable[Event], orders: Sequence[Order]) -> dict[str, dict[str, SegmentCount]]:
    """Count visitors and orders by dimension and value: the first known one of each visitor's rows."""
    in_time = sorted(active, key=lambda event: event.in_time)
    return {dimension: _segments(in_time, orders, dimension) for dimension in DIMENSIONS}


def _segments(in_time: Iterable[Event], orders: Iterable[Order], dimension: str) -> dict[str, SegmentCount]:
    values: dict[str, str] = {}
    for row, *_ in in_time:
        if values.get(row["visitor_id"], UNKNOWN) == UNKNOWN:
            values[row["visitor_id"]] = segment_of(row, dimension)
    counts = {value: SegmentCount(visitors=visitors) for value, visitors in Counter(values.values()).items()}
    for order in orders:
        # Each order is an active row of the day, so its visitor has a value.
        value = values[order.event.row["visitor_id"]]
        visitors, number, minor, paid = counts[value]
        known = (minor + order.minor, paid + 1) if order.money.is_known else (minor, paid)
        counts[value] = SegmentCount(visitors, number + 1, *known)
    return counts


def stitching(events: Iterable[Event], orders: Sequence[Order]) -> Stitch:
    """Count the orders, and those whose visitor was seen on the storefront in the seven days before."""
    buyers = {order.event.row["visitor_id"] for order in orders}
    seen: defaultdict[str, list[int]] = defaultdict(list)
    for row, at, _ in events if buyers else ():
        if row["type"] in SEEN and row["visitor_id"] in buyers:
            seen[row["visitor_id"]].append(at)
    stitched = 0
    for order in orders:
        at = order.event.at
        stitched += any(at - STITCH_MS <= moment <= at for moment in seen[order.event.row["visitor_id"]])
    return Stitch(len(orders), stitched)
