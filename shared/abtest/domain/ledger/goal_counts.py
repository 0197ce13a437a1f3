"""Counts of one goal, by the reference: which of its hits count, what they add, and the sums by visitor."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from abtest.domain.ledger.cells import (
    QUARTER_MS,
    Cell,
    Covariate,
    GoalCount,
    Money,
    MoneyCell,
    Step,
    ceiling_of,
)
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.exposures import Exposure, summed_in_cells
from abtest.domain.ledger.hits import judge, worth
from abtest.domain.ledger.plans import LOOK_BACK_MS, CountingPlan, GoalPlan
from abtest.domain.ledger.rows import OWN, money_of
from abtest.domain.ledger.shop_rows import Event, ShopRows

Exposures = Mapping[str, Exposure]
"""First exposures by visitor id."""

Refunds = Mapping[str, int]
"""Refunded money by order id, in the minor unit of the plan's currency."""


class Hit(NamedTuple):
    """One accepted hit, attributed to its visitor's exposure or before it."""

    exposure: Exposure
    event: Event


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


def refunds_by_time(rows: ShopRows, plan: CountingPlan) -> RefundsByTime:
    """Return the refunds of all orders of the shop; none for a plan that counts no money."""
    if not any(goal.counts_money for goal in plan.goals):
        return RefundsByTime({}, {})
    refunds = rows.select([("refund", None)], plan.since)
    before = refunded((event.row for event in refunds if event.at < plan.begins_at), plan.currency)
    return RefundsByTime(
        before, refunded((event.row for event in refunds if event.at >= plan.begins_at), plan.currency)
    )


def refunded(rows: Iterable[Row], currency: str) -> Refunds:
    """Return the refunds of each order that are money in this currency."""
    refunds: defaultdict[str, int] = defaultdict(int)
    for row in rows:
        if row["type"] == "refund" and row["order_id"]:
            money = money_of(row, currency)
            refunds[row["order_id"]] += money.minor if money.is_known else 0
    return refunds


def without_repeated_orders(hits: Iterable[Event], key: Callable[[Event], Any]) -> list[Event]:
    """Return the first of the hits with the same order id, by `key`; hits without one are orders of their own."""
    kept: dict[tuple[str, str], Event] = {}
    for event in hits:
        order_id = event.row["order_id"]
        # The first part keeps apart an order id and an event id with the same text.
        order = ("order", order_id) if order_id else ("event", event.row["event_id"])
        present = kept.setdefault(order, event)
        if present is not event and key(event) < key(present):
            kept[order] = event
    return list(kept.values())


def count_goal(
    rows: ShopRows, exposures: Exposures, goal: GoalPlan, plan: CountingPlan, refunds: RefundsByTime | None
) -> GoalCounts:
    """Count the hits of one goal. `refunds` are those of all orders of the shop; None without any exposure."""
    counter = GoalCounter()
    if refunds is None:
        return counter.counts(goal)
    hits = rows.select(goal.signals, plan.since)
    if goal.counts_money:
        # Before filter and window: if an order's first event is not accepted, a repetition must not count in its place.
        hits = without_repeated_orders(hits, lambda event: event.in_senders_order)
    accepting = judge(goal)
    for event in hits:
        exposure = exposures.get(event.row["visitor_id"])
        if exposure is None or not accepting(event.row):
            continue
        hit = Hit(exposure, event)
        if exposure.precedes(event):
            if is_in_window(hit, goal):
                counter.add(hit, goal, plan, refunds.since)
        elif goal.looks_back and is_looked_back_at(hit):
            counter.add_before(hit, goal, plan, refunds.before)
    return counter.counts(goal)


def is_in_window(hit: Hit, goal: GoalPlan) -> bool:
    """Return whether a hit after the exposure is within the goal's window, which begins with the exposure itself."""
    return hit.event.at < hit.exposure.at + goal.window_ms


def is_looked_back_at(hit: Hit) -> bool:
    """Return whether a hit before the exposure is in the fourteen days before it."""
    return hit.event.at >= hit.exposure.at - LOOK_BACK_MS


class GoalCounter:
    """Hits of one goal, added visitor by visitor."""

    def __init__(self) -> None:
        self._worths: defaultdict[str, list[int]] = defaultdict(list)
        self._before: defaultdict[str, int] = defaultdict(int)
        self._exposures: dict[str, Exposure] = {}
        self._money: defaultdict[MoneyCell, Money] = defaultdict(Money)

    def add(self, hit: Hit, goal: GoalPlan, plan: CountingPlan, refunds: Refunds) -> None:
        """Add a hit; an order whose money is not in the plan's currency is listed in `money` and not counted."""
        minor = _worth(hit.event.row, goal, plan, refunds)
        if minor is not None:
            self._worths[hit.event.row["visitor_id"]].append(minor)
            self._exposures[hit.event.row["visitor_id"]] = hit.exposure
        if goal.lists_money and (money := money_of(hit.event.row, plan.currency)).kind != OWN:
            cell = MoneyCell(hit.exposure.variation_id, hit.exposure.at // QUARTER_MS, money.kind, money.currency)
            self._money[cell] = self._money[cell].plus(Money(1, money.minor if minor is None else minor))

    def add_before(self, hit: Hit, goal: GoalPlan, plan: CountingPlan, refunds: Refunds) -> None:
        """Add a hit from before the exposure, by the same measure."""
        self._before[hit.event.row["visitor_id"]] += _worth(hit.event.row, goal, plan, refunds) or 0
        self._exposures[hit.event.row["visitor_id"]] = hit.exposure

    def counts(self, goal: GoalPlan) -> GoalCounts:
        """Return everything added so far, in cells."""
        converters = [(self._exposures[visitor], converter(worths, goal)) for visitor, worths in self._worths.items()]
        spread: defaultdict[Step, GoalCount] = defaultdict(GoalCount)
        for exposure, count in converters if goal.winsorize_pct is not None else ():
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
            {cell: GoalCount(*sums) for cell, sums in summed_in_cells(converters).items()},
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
