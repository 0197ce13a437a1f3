"""The reference: counts from rows, one rule a function, in memory. Every engine must give exactly the same answer."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from abtest.domain.ledger.cells import (
    DIMENSIONS,
    PAIRS,
    QUARTER,
    QUARTER_MS,
    UNKNOWN,
    Cell,
    Counts,
    GoalCount,
    Money,
    MoneyCell,
    SessionCount,
    Step,
    ceiling_of,
)
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.judging import judge, worth
from abtest.domain.ledger.plans import CountingPlan, GoalPlan
from abtest.domain.ledger.rows import OWN, happened_at, in_time, money_of, without_copies

EXPOSED, FAILED, GIVEN_UP = "experiment_viewed", "sdk_error", "sdk_perf"
"""Types of events that tell how a variation was delivered."""

Refunds = Mapping[str, int]
"""Refunded money by order id, in the minor unit of the plan's currency."""


class Exposure(NamedTuple):
    """When and how a visitor was first exposed; `cells` are those that the visitor is counted in."""

    variation_id: str
    at: int
    cells: tuple[Cell, ...]


class Hit(NamedTuple):
    """One hit that was attributed to its visitor's exposure and accepted."""

    exposure: Exposure
    row: Row


class GoalCounts(NamedTuple):
    """A goal's part of `Counts`."""

    cells: Mapping[Cell, GoalCount]
    money: Mapping[MoneyCell, Money]
    spread: Mapping[Step, GoalCount]


Exposures = Mapping[str, Exposure]


def count(rows: Iterable[Row], plan: CountingPlan) -> Counts:
    """Count the ledger's rows, in any order and with any repeats, as the plan asks.

    `goals` has an entry for each goal of the plan, `money` for each that counts money, `spread` for each that is
    winsorized, though they be empty.
    """
    seen = [row for row in rows if row["shop_id"] == plan.shop_id and row["received_at"] >= plan.begins_at]
    counted = [row for row in without_copies(seen) if not row["qa_mode"] and happened_at(row) >= plan.begins_at]
    exposures, multiple_exposure = first_exposures(counted, plan)
    refunds = refunded(counted, plan.currency)
    goals = {goal.goal_id: _count_goal(counted, exposures, goal, plan, refunds) for goal in plan.goals}
    return Counts(
        visitors=dict(Counter(cell for exposure in exposures.values() for cell in exposure.cells)),
        goals={goal_id: found.cells for goal_id, found in goals.items()},
        money={goal.goal_id: goals[goal.goal_id].money for goal in plan.goals if goal.counts_money},
        spread={goal.goal_id: goals[goal.goal_id].spread for goal in plan.goals if goal.winsorize_pct is not None},
        sessions=sessions(counted, plan),
        multiple_exposure=multiple_exposure,
        through=max((row["received_at"] for row in seen), default=None),
    )


def first_exposures(rows: Iterable[Row], plan: CountingPlan) -> tuple[Exposures, int]:
    """First exposures of visitors who saw one variation only, and how many saw more than one."""
    first: dict[str, Row] = {}
    unfaithful: set[str] = set()
    for row in rows:
        if not is_exposure(row, plan):
            continue
        known = first.setdefault(row["visitor_id"], row)
        if _variation_of(row, plan) != _variation_of(known, plan):
            unfaithful.add(row["visitor_id"])
        if in_time(row) < in_time(known):
            first[row["visitor_id"]] = row
    exposures = {visitor: _exposure(row, plan) for visitor, row in first.items() if visitor not in unfaithful}
    return exposures, len(unfaithful)


def sessions(rows: Iterable[Row], plan: CountingPlan) -> dict[str, SessionCount]:
    """By the variation that rows name themselves, how it was delivered; of a visitor who was not exposed, too."""
    if not plan.has_sessions:
        return {}
    told: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
    for row in rows:
        if is_exposure(row, plan) or is_delivery(row, plan):
            session = row["session_id"] or row["visitor_id"]
            told[row["variation_id"] or "", row["visitor_id"], session].add(row["type"])
    found: defaultdict[str, SessionCount] = defaultdict(SessionCount)
    for (variation_id, *_), types in told.items():
        is_missed = GIVEN_UP in types and EXPOSED not in types
        found[variation_id] = found[variation_id].plus(SessionCount(1, FAILED in types, is_missed))
    return dict(found)


def is_delivery(row: Row, plan: CountingPlan) -> bool:
    """Whether the row says how one of the plan's variations was delivered, in the plan's epoch."""
    return row["type"] in (FAILED, GIVEN_UP) and _is_of_experiment(row, plan)


def is_exposure(row: Row, plan: CountingPlan) -> bool:
    """Whether the row says that a visitor is in one of the plan's variations, in the plan's epoch."""
    if plan.exposure == "cohort":
        return (
            row["type"] == "pageview"
            and row["cohort"] in plan.variation_ids
            and row["holdout_config_epoch"] == plan.assignment_epoch
        )
    return row["type"] == EXPOSED and _is_of_experiment(row, plan)


def _is_of_experiment(row: Row, plan: CountingPlan) -> bool:
    return (
        row["experiment_id"] == plan.experiment_id
        and row["variation_id"] in plan.variation_ids
        # What names no epoch is of the present one.
        and row["assignment_epoch"] in (None, plan.assignment_epoch)
    )


def _variation_of(row: Row, plan: CountingPlan) -> str:
    return (row["cohort"] if plan.exposure == "cohort" else row["variation_id"]) or ""


def _exposure(row: Row, plan: CountingPlan) -> Exposure:
    variation_id, at = _variation_of(row, plan), happened_at(row)
    return Exposure(variation_id, at, cells_of(row, variation_id, at))


def cells_of(row: Row, variation_id: str, at: int) -> tuple[Cell, ...]:
    """The cells of a visitor whose first exposure this is: the quarter, four dimensions, six pairs of them."""
    segments = {dimension: segment_of(row, dimension) for dimension in DIMENSIONS}
    day = at // DAY_MS
    return (
        Cell(variation_id, QUARTER, at // QUARTER_MS, ""),
        *(Cell(variation_id, dimension, day, value) for dimension, value in segments.items()),
        *(Cell(variation_id, pair, day, _joined(pair, segments)) for pair in PAIRS),
    )


def segment_of(row: Row, dimension: str) -> str:
    """What the row says of a dimension."""
    told: Mapping[str, Any] = row
    return told[dimension] or UNKNOWN


def _joined(pair: str, segments: Mapping[str, str]) -> str:
    return "|".join(segments[dimension] for dimension in pair.split("+"))


def refunded(rows: Iterable[Row], currency: str) -> Refunds:
    """What was refunded of each order, as far as it is money in this currency."""
    refunds: defaultdict[str, int] = defaultdict(int)
    for row in rows:
        if row["type"] == "refund" and row["order_id"]:
            money = money_of(row, currency)
            refunds[row["order_id"]] += money.minor if money.is_known else 0
    return refunds


def without_repeated_orders(hits: Iterable[Row]) -> list[Row]:
    """Of hits that name the same order the first; hits without an order id are orders of their own."""
    kept: dict[tuple[str, str], Row] = {}
    for row in hits:
        order = ("order", row["order_id"]) if row["order_id"] else ("event", row["event_id"])
        present = kept.setdefault(order, row)
        if in_time(row) < in_time(present):
            kept[order] = row
    return list(kept.values())


def _count_goal(
    rows: Sequence[Row], exposures: Exposures, goal: GoalPlan, plan: CountingPlan, refunds: Refunds
) -> GoalCounts:
    hits = [row for row in rows if goal.is_hit(row)]
    if goal.counts_money:
        hits = without_repeated_orders(hits)
    accepting = judge(goal)
    attributed = [
        Hit(exposure, row)
        for row in hits
        if (exposure := exposures.get(row["visitor_id"])) and is_attributed(row, exposure, goal) and accepting(row)
    ]
    tally = _Tally()
    for hit in attributed:
        if goal.counts_money:
            tally.add_order(hit, plan.currency, refunds)
        else:
            tally.add(hit, worth(goal, hit.row, plan.currency))
    return tally.counts(goal)


def is_attributed(row: Row, exposure: Exposure, goal: GoalPlan) -> bool:
    """Whether a hit is within the goal's window, which begins with the exposure itself."""
    return exposure.at <= happened_at(row) < exposure.at + goal.window_ms


class _Tally:
    """A goal's hits, visitor by visitor."""

    def __init__(self) -> None:
        self._worths: defaultdict[str, list[int]] = defaultdict(list)
        self._exposures: dict[str, Exposure] = {}
        self._money: defaultdict[MoneyCell, Money] = defaultdict(Money)

    def add(self, hit: Hit, worth: int) -> None:
        """A hit that counts."""
        self._worths[hit.row["visitor_id"]].append(worth)
        self._exposures[hit.row["visitor_id"]] = hit.exposure

    def add_order(self, hit: Hit, currency: str, refunds: Refunds) -> None:
        """An order, less what was refunded of it; one whose money is not the plan's is told, and not counted."""
        money = money_of(hit.row, currency)
        minor = money.minor
        if money.is_known:
            minor = max(0, minor - refunds.get(hit.row["order_id"] or "", 0))
            self.add(hit, minor)
        if money.kind != OWN:
            cell = MoneyCell(hit.exposure.variation_id, hit.exposure.at // QUARTER_MS, money.kind, money.currency)
            self._money[cell] = self._money[cell].plus(Money(1, minor))

    def counts(self, goal: GoalPlan) -> GoalCounts:
        """Everything added so far, in cells."""
        cells: defaultdict[Cell, GoalCount] = defaultdict(GoalCount)
        spread: defaultdict[Step, GoalCount] = defaultdict(GoalCount)
        for visitor, worths in self._worths.items():
            exposure, found = self._exposures[visitor], converter(worths, goal)
            for cell in exposure.cells:
                cells[cell] = cells[cell].plus(found)
            step = Step(exposure.variation_id, ceiling_of(found.total))
            spread[step] = spread[step].plus(found)
        return GoalCounts(dict(cells), dict(self._money), dict(spread))


def converter(worths: Sequence[int], goal: GoalPlan) -> GoalCount:
    """What one visitor with these hits adds."""
    hits, total = (1, 1) if goal.takes_first_only else (len(worths), sum(worths))
    return GoalCount(1, hits, total, total * total)
