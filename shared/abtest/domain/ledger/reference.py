"""The reference: counts from rows, one rule a function, in memory. Every engine must return exactly these counts."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from abtest.domain.ledger.cells import (
    DIMENSIONS,
    PAIRS,
    QUARTER,
    QUARTER_MS,
    UNKNOWN,
    Cell,
    Counts,
    Covariate,
    GoalCount,
    Money,
    MoneyCell,
    SessionCount,
    Step,
    ceiling_of,
)
from abtest.domain.ledger.events import DAY_MS, SELECTOR_MISSING, WITHOUT_STICKY, Row
from abtest.domain.ledger.exposures import Exposure, Seen
from abtest.domain.ledger.hits import judge, worth
from abtest.domain.ledger.plans import LOOK_BACK_MS, CountingPlan, GoalPlan
from abtest.domain.ledger.rows import (
    OWN,
    SenderClock,
    happened_at,
    in_senders_order,
    money_of,
    sender_time,
    without_copies,
)

# Types of events that report the delivery of a variation.
EXPOSED, FAILED, GIVEN_UP = "experiment_viewed", "sdk_error", "sdk_perf"

Refunds = Mapping[str, int]
"""Refunded money by order id, in the minor unit of the plan's currency."""


class Hit(NamedTuple):
    """One accepted hit, attributed to its visitor's exposure or before it."""

    exposure: Exposure
    row: Row

    @property
    def is_before(self) -> bool:
        """Return whether the visitor had not seen the variation yet."""
        return not self.exposure.precedes(self.row)


class RefundsByTime(NamedTuple):
    """Refunds from before the measurement began and since: of orders before exposures, and after."""

    before: Refunds
    since: Refunds


class GoalCounts(NamedTuple):
    """A goal's part of `Counts`."""

    cells: Mapping[Cell, GoalCount]
    money: Mapping[MoneyCell, Money]
    spread: Mapping[Step, GoalCount]
    covariates: Mapping[str, Covariate]
    covariate_steps: Mapping[Step, Covariate]


Exposures = Mapping[str, Exposure]


def count(rows: Iterable[Row], plan: CountingPlan) -> Counts:
    """Count the ledger's rows, in any order and with any repeats, by the plan.

    `goals` has an entry for each goal of the plan. `money` has those that count money, `spread` those that are
    winsorized, `covariates` those that look back, `covariate_steps` those that are both. Entries may be empty.
    """
    seen = [row for row in rows if row["shop_id"] == plan.shop_id and row["received_at"] >= plan.since]
    # Copies go before mode and time are tested: else a second copy could count in place of a first that is refused.
    counted = [row for row in without_copies(seen) if not row["qa_mode"] and happened_at(row) >= plan.since]
    # Older rows are only for hits before exposures; exposures, refunds and sessions are those of the measurement.
    measured = [row for row in counted if happened_at(row) >= plan.begins_at]
    exposures, multiple_exposure = first_exposures(measured, plan)
    early = refunded((row for row in counted if happened_at(row) < plan.begins_at), plan.currency)
    refunds = RefundsByTime(early, refunded(measured, plan.currency))
    goals = {goal.goal_id: count_goal(counted, exposures, goal, plan, refunds) for goal in plan.goals}
    return Counts(
        visitors=dict(Counter(cell for exposure in exposures.values() for cell in exposure.cells)),
        goals={goal_id: counts.cells for goal_id, counts in goals.items()},
        money={goal.goal_id: goals[goal.goal_id].money for goal in plan.goals if goal.lists_money},
        spread={goal.goal_id: goals[goal.goal_id].spread for goal in plan.goals if goal.winsorize_pct is not None},
        covariates={goal.goal_id: goals[goal.goal_id].covariates for goal in plan.goals if goal.looks_back},
        covariate_steps={
            goal.goal_id: goals[goal.goal_id].covariate_steps for goal in plan.goals if goal.has_covariate_steps
        },
        sessions=sessions(measured, plan),
        multiple_exposure=multiple_exposure,
        through=max((row["received_at"] for row in seen if row["received_at"] >= plan.begins_at), default=None),
    )


def first_exposures(rows: Iterable[Row], plan: CountingPlan) -> tuple[Exposures, int]:
    """Return the first exposures of visitors who saw one variation only, and the number who saw more than one."""
    first: dict[str, Row] = {}
    seen: defaultdict[str, dict[SenderClock, Seen]] = defaultdict(dict)
    unfaithful: set[str] = set()
    for row in rows:
        if not is_exposure(row, plan):
            continue
        known, by_clock, sent = first.setdefault(row["visitor_id"], row), seen[row["visitor_id"]], sender_time(row)
        since, at = by_clock.get(sent.clock, (sent.ts, happened_at(row)))
        by_clock[sent.clock] = Seen(min(since, sent.ts), min(at, happened_at(row)))
        # Before `known` may be replaced: if all rows equal the one known at their turn, all are equal.
        if _variation_of(row, plan) != _variation_of(known, plan):
            unfaithful.add(row["visitor_id"])
        if in_senders_order(row) < in_senders_order(known):
            first[row["visitor_id"]] = row
    exposures: dict[str, Exposure] = {}
    for visitor_id, row in first.items():
        if visitor_id not in unfaithful:
            variation_id, at = _variation_of(row, plan), min(each.at for each in seen[visitor_id].values())
            cells = cells_of(row, variation_id, at)
            exposures[visitor_id] = Exposure(variation_id, at, cells, seen[visitor_id], plan.begins_at)
    return exposures, len(unfaithful)


def sessions(rows: Iterable[Row], plan: CountingPlan) -> dict[str, SessionCount]:
    """Count sessions by the variation that rows name, also of visitors who were not exposed."""
    if not plan.has_sessions:
        return {}
    marks: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
    for row in rows:
        if is_exposure(row, plan) or is_delivery(row, plan):
            # All rows of a visitor without a session id count as one session.
            session = row["session_id"] or row["visitor_id"]
            marks[row["variation_id"] or "", row["visitor_id"], session] |= marks_of(row)
    counts: defaultdict[str, SessionCount] = defaultdict(SessionCount)
    for (variation_id, *_), seen in marks.items():
        # A session that gave up on one page and was exposed on another has the variation.
        is_missed = GIVEN_UP in seen and EXPOSED not in seen
        counts[variation_id] = counts[variation_id].plus(
            SessionCount(1, FAILED in seen, is_missed, WITHOUT_STICKY in seen, SELECTOR_MISSING in seen)
        )
    return dict(counts)


def marks_of(row: Row) -> set[str]:
    """Return the marks of a session that has this event about the delivery of a variation."""
    # Selectors that match nothing are a warning: the variation did not fail.
    if row["type"] == FAILED and row["event_name"] == SELECTOR_MISSING:
        return {SELECTOR_MISSING}
    # A server sent the exposure without keeping the visitor's variations.
    if row["type"] == EXPOSED and row["event_name"] == WITHOUT_STICKY:
        return {EXPOSED, WITHOUT_STICKY}
    return {row["type"]}


def is_delivery(row: Row, plan: CountingPlan) -> bool:
    """Return whether the row reports the delivery of one of the plan's variations, in the plan's epoch."""
    return row["type"] in (FAILED, GIVEN_UP) and _is_of_experiment(row, plan)


def is_exposure(row: Row, plan: CountingPlan) -> bool:
    """Return whether the row puts a visitor into one of the plan's variations, in the plan's epoch."""
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
        # Events without an epoch belong to the current one.
        and row["assignment_epoch"] in (None, plan.assignment_epoch)
    )


def _variation_of(row: Row, plan: CountingPlan) -> str:
    return (row["cohort"] if plan.exposure == "cohort" else row["variation_id"]) or ""


def cells_of(row: Row, variation_id: str, at: int) -> tuple[Cell, ...]:
    """Return the cells of a visitor's first exposure: the quarter, four dimensions, six pairs of them."""
    segments = {dimension: segment_of(row, dimension) for dimension in DIMENSIONS}
    day = at // DAY_MS
    return (
        Cell(variation_id, QUARTER, at // QUARTER_MS, ""),
        *(Cell(variation_id, dimension, day, value) for dimension, value in segments.items()),
        *(Cell(variation_id, pair, day, "|".join(segments[name] for name in pair.split("+"))) for pair in PAIRS),
    )


def segment_of(row: Row, dimension: str) -> str:
    """Return the row's value of a dimension."""
    columns: Mapping[str, Any] = row
    return columns[dimension] or UNKNOWN


def refunded(rows: Iterable[Row], currency: str) -> Refunds:
    """Return the refunds of each order that are money in this currency."""
    refunds: defaultdict[str, int] = defaultdict(int)
    for row in rows:
        if row["type"] == "refund" and row["order_id"]:
            money = money_of(row, currency)
            refunds[row["order_id"]] += money.minor if money.is_known else 0
    return refunds


def without_repeated_orders(hits: Iterable[Row], key: Callable[[Row], Any]) -> list[Row]:
    """Return the first of the hits with the same order id, by `key`; hits without one are orders of their own."""
    kept: dict[tuple[str, str], Row] = {}
    for row in hits:
        # The first part keeps apart an order id and an event id with the same text.
        order = ("order", row["order_id"]) if row["order_id"] else ("event", row["event_id"])
        present = kept.setdefault(order, row)
        if key(row) < key(present):
            kept[order] = row
    return list(kept.values())


def count_goal(
    rows: Sequence[Row], exposures: Exposures, goal: GoalPlan, plan: CountingPlan, refunds: RefundsByTime
) -> GoalCounts:
    """Count the hits of one goal. `refunds` are those of all orders of the shop."""
    hits = [row for row in rows if goal.is_hit(row)]
    if goal.counts_money:
        # Before filter and window: if an order's first event is not accepted, a repetition must not count in its place.
        hits = without_repeated_orders(hits, in_senders_order)
    accepting = judge(goal)
    accepted = [Hit(exposure, row) for row in hits if (exposure := exposures.get(row["visitor_id"])) and accepting(row)]
    counter = GoalCounter()
    for hit in accepted:
        if is_attributed(hit.row, hit.exposure, goal):
            counter.add(hit, goal, plan, refunds.since)
        elif goal.looks_back and is_looked_back_at(hit):
            counter.add_before(hit, goal, plan, refunds.before)
    return counter.counts(goal)


def is_attributed(row: Row, exposure: Exposure, goal: GoalPlan) -> bool:
    """Return whether a hit is within the goal's window, which begins with the exposure itself."""
    return exposure.precedes(row) and happened_at(row) < exposure.at + goal.window_ms


def is_looked_back_at(hit: Hit) -> bool:
    """Return whether the hit happened in the fourteen days before the exposure."""
    return hit.is_before and happened_at(hit.row) >= hit.exposure.at - LOOK_BACK_MS


class GoalCounter:
    """Hits of one goal, added visitor by visitor."""

    def __init__(self) -> None:
        self._worths: defaultdict[str, list[int]] = defaultdict(list)
        self._before: defaultdict[str, int] = defaultdict(int)
        self._exposures: dict[str, Exposure] = {}
        self._money: defaultdict[MoneyCell, Money] = defaultdict(Money)

    def add(self, hit: Hit, goal: GoalPlan, plan: CountingPlan, refunds: Refunds) -> None:
        """Add a hit; an order whose money is not in the plan's currency is listed in `money` and not counted."""
        minor = _worth(hit.row, goal, plan, refunds)
        if minor is not None:
            self._worths[hit.row["visitor_id"]].append(minor)
            self._exposures[hit.row["visitor_id"]] = hit.exposure
        if goal.lists_money and (money := money_of(hit.row, plan.currency)).kind != OWN:
            cell = MoneyCell(hit.exposure.variation_id, hit.exposure.at // QUARTER_MS, money.kind, money.currency)
            self._money[cell] = self._money[cell].plus(Money(1, money.minor if minor is None else minor))

    def add_before(self, hit: Hit, goal: GoalPlan, plan: CountingPlan, refunds: Refunds) -> None:
        """Add a hit from before the exposure, by the same measure."""
        self._before[hit.row["visitor_id"]] += _worth(hit.row, goal, plan, refunds) or 0
        self._exposures[hit.row["visitor_id"]] = hit.exposure

    def counts(self, goal: GoalPlan) -> GoalCounts:
        """Return everything added so far, in cells."""
        cells: defaultdict[Cell, GoalCount] = defaultdict(GoalCount)
        spread: defaultdict[Step, GoalCount] = defaultdict(GoalCount)
        for visitor, worths in self._worths.items():
            exposure, count = self._exposures[visitor], converter(worths, goal)
            for cell in exposure.cells:
                cells[cell] = cells[cell].plus(count)
            step = Step(exposure.variation_id, ceiling_of(count.total))
            spread[step] = spread[step].plus(count)
        covariates: defaultdict[str, Covariate] = defaultdict(Covariate)
        steps: defaultdict[Step, Covariate] = defaultdict(Covariate)
        # Visitors without hits before have x = 0 and would add zeros.
        for visitor, hits_before in self._before.items():
            x = min(hits_before, 1) if goal.takes_first_only else hits_before
            y = converter(self._worths[visitor], goal).total if visitor in self._worths else 0
            variation_id = self._exposures[visitor].variation_id
            covariate = Covariate(x, x * x, x * y)
            covariates[variation_id] = covariates[variation_id].plus(covariate)
            # Without a total there is nothing to cap.
            if y:
                step = Step(variation_id, ceiling_of(y))
                steps[step] = steps[step].plus(covariate)
        return GoalCounts(
            dict(cells),
            dict(self._money),
            dict(spread),
            {variation_id: covariate for variation_id, covariate in covariates.items() if any(covariate)},
            {step: covariate for step, covariate in steps.items() if any(covariate)},
        )


def _worth(row: Row, goal: GoalPlan, plan: CountingPlan, refunds: Refunds) -> int | None:
    """Return what a hit adds: an order less its refunds; None where its money is not in the plan's currency."""
    if not goal.counts_money:
        return worth(goal, row, plan.currency)
    money = money_of(row, plan.currency)
    if goal.needs_money and not money.is_known:
        return None
    # Refunds can exceed the reported order. A negative total would break `ceiling_of`, so the rest is dropped.
    minor = max(0, money.minor - refunds.get(row["order_id"] or "", 0)) if goal.takes_minor else 0
    return minor + (worth(goal, row, plan.currency) if goal.takes_worth else 0)


def converter(worths: Sequence[int], goal: GoalPlan) -> GoalCount:
    """Return what one visitor with these hits adds."""
    hits, total = (1, 1) if goal.takes_first_only else (len(worths), sum(worths))
    return GoalCount(1, hits, total, total * total)
