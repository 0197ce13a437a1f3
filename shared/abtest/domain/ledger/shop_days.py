"""What a shop's rows say about one UTC day, for analytics that are no experiment's (docs/data-model.md, section 5)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from abtest.domain.ledger.cells import DIMENSIONS, QUARTER_MS, UNKNOWN, Money
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY, date_of, day_of
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.plans import SHOP_REVENUE
from abtest.domain.ledger.reference import Refunds, refunded, segment_of, without_repeated_orders
from abtest.domain.ledger.rows import HitMoney, happened_at, in_time, money_of, without_copies

MAX_GAP = 99
"""Quarters: days have 25 hours at most."""

STITCH_MS = 7 * DAY_MS
"""How long before an order its visitor must have been seen on the storefront; also how far back a day's rows reach."""

PASSIVE = frozenset({"refund", "sdk_error", "sdk_perf", "edge_perf"})
"""Events that nobody's visit is about."""

STEPS = ("visited", "added_to_cart", "started_checkout", "purchased")
STEP_EVENTS = {"add_to_cart": STEPS.index("added_to_cart"), "checkout_started": STEPS.index("started_checkout")}
"""By name of a custom event the step that it takes a visitor to."""

SEEN = frozenset({"pageview", "experiment_viewed"})
"""Events that tell that a visitor was on the storefront."""


class Activity(NamedTuple):
    """A quarter of the day (0..95), and quarters since the visitor's last active one: 1..99, 0 is longer ago."""

    quarter: int
    gap: int


class OrderCell(NamedTuple):
    """Orders of a quarter of the day (0..95); `kind` is `own`, `converted`, `foreign` or `unknown`.

    `currency` is the shop's for own, what the sender named for others, empty when unknown.
    """

    quarter: int
    kind: str
    currency: str


class SegmentCount(NamedTuple):
    """Visitors of the day in a segment, their orders of the day, the shop's own and converted money of these, and how
    many of the orders it is of."""

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
    """The document's fields. `date` is `YYYY-MM-DD`; no entry of a mapping is zero but `steps`, which has all four.

    `repeated_orders` is None in what an older release counted.
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


class _Order(NamedTuple):
    """A row that counts as an order, and what is left of its money after refunds."""

    row: Row
    money: HitMoney
    minor: int


def shop_day(rows: Iterable[Row], shop_id: str, date: str, currency: str) -> ShopDay:
    """Count one UTC day (`YYYY-MM-DD`) of a shop from rows in any order, with any repeats.

    Rows must reach back seven days before the date; older ones do not count. Refunds may be later than the date.
    """
    starts = day_of(date) * DAY_MS
    seen = [row for row in rows if row["shop_id"] == shop_id and row["received_at"] >= starts - STITCH_MS]
    counted = [row for row in without_copies(seen) if not row["qa_mode"] and happened_at(row) >= starts - STITCH_MS]
    of_the_day = [row for row in counted if starts <= happened_at(row) < starts + DAY_MS]
    active = [row for row in of_the_day if row["type"] not in PASSIVE]
    orders = _orders(counted, starts, currency)
    return ShopDay(
        shop_id=shop_id,
        date=date,
        currency=currency,
        activity=_activity(counted, starts),
        orders=_by_quarter(orders, starts),
        repeated_orders=_repeated(counted, starts),
        events=dict(Counter(row["type"] for row in of_the_day)),
        steps=_steps(active, orders),
        segments={dimension: _segments(active, orders, dimension) for dimension in DIMENSIONS},
        stitch=_stitch(counted, orders),
    )


def touched_days(rows: Iterable[Row], orders: Iterable[OrderMoment]) -> frozenset[str]:
    """The dates (`YYYY-MM-DD`) of shop days that these rows may change: those of what is new, and of the copies and
    what they took the place of.

    `orders` are the shop's, those among the new rows included: at least those that share an order id or a visitor with
    the rows. Days on which nothing happened may be among the answer.
    """
    by_id: defaultdict[str, list[int]] = defaultdict(list)
    by_visitor: defaultdict[str, list[int]] = defaultdict(list)
    for order in orders:
        by_id[order.order_id].append(order.happened_at)
        by_visitor[order.visitor_id].append(order.happened_at)
    days: set[int] = set()
    for row in rows:
        if not row["qa_mode"]:
            days |= _days_of(row)
            days |= {moment // DAY_MS for moment in by_id[row["order_id"]]} if row["order_id"] else set()
            days |= _stitched_days(row, by_visitor)
    return frozenset(map(date_of, days))


def _days_of(row: Row) -> set[int]:
    """The day of the row, and the day or two that the gap to the visitor's next active quarter reaches into."""
    at = happened_at(row)
    reach = 0 if row["type"] in PASSIVE else MAX_GAP * QUARTER_MS
    return set(range(at // DAY_MS, (at // QUARTER_MS * QUARTER_MS + reach) // DAY_MS + 1))


def _stitched_days(row: Row, orders: Mapping[str, Sequence[int]]) -> set[int]:
    if row["type"] not in SEEN:
        return set()
    at = happened_at(row)
    return {moment // DAY_MS for moment in orders.get(row["visitor_id"], ()) if at <= moment <= at + STITCH_MS}


def distinct_visitors(days: Iterable[ShopDay], start: int, end: int) -> int:
    """Visitors active in a window of whole quarters of an hour, at most 25 hours long: a day of any time zone.

    `start` and `end` (excluded) are Unix milliseconds; `days` are those that the window touches, each once. Raises
    ValueError for any other window.
    """
    if start % QUARTER_MS or end % QUARTER_MS or not 0 <= end - start <= (MAX_GAP + 1) * QUARTER_MS:
        raise ValueError("a window is made of up to 100 whole quarters of an hour")
    first, last = start // QUARTER_MS, end // QUARTER_MS
    found = 0
    for day in days:
        midnight = day_of(day.date) * QUARTERS_A_DAY
        for (quarter, gap), visitors in day.activity.items():
            at = midnight + quarter
            if first <= at < last and (gap == 0 or gap > at - first):
                found += visitors
    return found


def _orders(rows: Sequence[Row], starts: int, currency: str) -> list[_Order]:
    refunds = refunded(rows, currency)
    orders = without_repeated_orders(row for row in rows if SHOP_REVENUE.is_hit(row))
    return [_order(row, currency, refunds) for row in orders if starts <= happened_at(row) < starts + DAY_MS]


def _order(row: Row, currency: str, refunds: Refunds) -> _Order:
    money = money_of(row, currency)
    taken_back = refunds.get(row["order_id"] or "", 0) if money.is_known else 0
    return _Order(row, money, max(0, money.minor - taken_back))


def _repeated(rows: Iterable[Row], starts: int) -> int:
    """Order ids that several events tell, the first of them on the day."""
    told: defaultdict[str, list[int]] = defaultdict(list)
    for row in rows:
        if row["type"] == "order" and row["order_id"]:
            told[row["order_id"]].append(happened_at(row))
    return sum(len(moments) > 1 and starts <= min(moments) < starts + DAY_MS for moments in told.values())


def _by_quarter(orders: Iterable[_Order], starts: int) -> dict[OrderCell, Money]:
    found: defaultdict[OrderCell, Money] = defaultdict(Money)
    for order in orders:
        cell = OrderCell((happened_at(order.row) - starts) // QUARTER_MS, order.money.kind, order.money.currency)
        found[cell] = found[cell].plus(Money(1, order.minor))
    return dict(found)


def _activity(rows: Iterable[Row], starts: int) -> dict[Activity, int]:
    quarters: defaultdict[str, set[int]] = defaultdict(set)
    for row in rows:
        if row["type"] not in PASSIVE:
            quarters[row["visitor_id"]].add((happened_at(row) - starts) // QUARTER_MS)
    return dict(Counter(active for visited in quarters.values() for active in _gaps(sorted(visited))))


def _gaps(quarters: Sequence[int]) -> Iterable[Activity]:
    """Of the quarters in which a visitor was active those of the day, 0 being its first."""
    for index, quarter in enumerate(quarters):
        gap = quarter - quarters[index - 1] if index else 0
        if 0 <= quarter < QUARTERS_A_DAY:
            yield Activity(quarter, gap if gap <= MAX_GAP else 0)


def _steps(active: Iterable[Row], orders: Iterable[_Order]) -> dict[str, int]:
    reached: dict[str, int] = {}
    for row in active:
        step = STEP_EVENTS.get(row["event_name"] or "", 0) if row["type"] == "custom" else 0
        reached[row["visitor_id"]] = max(step, reached.get(row["visitor_id"], 0))
    reached |= dict.fromkeys((order.row["visitor_id"] for order in orders), STEPS.index("purchased"))
    return {name: sum(furthest >= step for furthest in reached.values()) for step, name in enumerate(STEPS)}


def _segments(active: Iterable[Row], orders: Iterable[_Order], dimension: str) -> dict[str, SegmentCount]:
    values = _first_told(active, dimension)
    counts = {value: SegmentCount(visitors=visitors) for value, visitors in Counter(values.values()).items()}
    for order in orders:
        value = values[order.row["visitor_id"]]
        visitors, number, minor, paid = counts[value]
        known = (minor + order.minor, paid + 1) if order.money.is_known else (minor, paid)
        counts[value] = SegmentCount(visitors, number + 1, *known)
    return counts


def _first_told(active: Iterable[Row], dimension: str) -> dict[str, str]:
    """Of each visitor what the first row says that says anything."""
    values: dict[str, str] = {}
    for row in sorted(active, key=in_time):
        if values.get(row["visitor_id"], UNKNOWN) == UNKNOWN:
            values[row["visitor_id"]] = segment_of(row, dimension)
    return values


def _stitch(rows: Iterable[Row], orders: Sequence[_Order]) -> Stitch:
    buyers = {order.row["visitor_id"] for order in orders}
    seen: defaultdict[str, list[int]] = defaultdict(list)
    for row in rows:
        if row["type"] in SEEN and row["visitor_id"] in buyers:
            seen[row["visitor_id"]].append(happened_at(row))
    return Stitch(len(orders), sum(_is_stitched(order, seen[order.row["visitor_id"]]) for order in orders))


def _is_stitched(order: _Order, seen: Iterable[int]) -> bool:
    at = happened_at(order.row)
    return any(at - STITCH_MS <= moment <= at for moment in seen)
