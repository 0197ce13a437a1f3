"""The reference: counts from rows, one rule a function, in memory. A warehouse must give exactly the same answer."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from abtest.domain.ledger.counting import CountingPlan, Counts, GoalCount, GoalPlan
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.filters import accepts, is_evaluable

Exposures = Mapping[str, tuple[str, int]]
"""Of each visitor the variation and the moment of the first exposure."""


def count(rows: Iterable[Row], plan: CountingPlan) -> Counts:
    """Fold the ledger's rows, in any order and with any repeats, into what the plan asks for."""
    seen = [row for row in rows if row["shop_id"] == plan.shop_id and row["received_at"] >= plan.begins_at]
    counted = [row for row in without_copies(seen) if not row["qa_mode"] and happened_at(row) >= plan.begins_at]
    exposures, multiple = first_exposures(counted, plan)
    visitors = dict.fromkeys(plan.variation_ids, 0)
    for variation_id, _ in exposures.values():
        visitors[variation_id] += 1
    return Counts(
        visitors=visitors,
        goals={goal.goal_id: _count_goal(counted, exposures, goal, plan) for goal in plan.goals},
        multiple_exposure=multiple,
        through=max((row["received_at"] for row in seen), default=None),
    )


def happened_at(row: Row) -> int:
    """When the event happened: nothing happens after it was received."""
    return min(row["ts"], row["received_at"])


def without_copies(rows: Iterable[Row]) -> list[Row]:
    """Of rows with the same event id the one that was received first; what still ties is settled by content."""
    kept: dict[str, Row] = {}
    for row in rows:
        present = kept.get(row["event_id"])
        if present is None or _precedence(row) < _precedence(present):
            kept[row["event_id"]] = row
    return list(kept.values())


def _precedence(row: Row) -> tuple[object, ...]:
    return (
        row["received_at"],
        row["ts"],
        row["type"],
        row["visitor_id"],
        row["experiment_id"] or "",
        row["variation_id"] or "",
        row["assignment_epoch"] or 0,
        row["goal_id"] or "",
        row["event_name"] or "",
        row["order_id"] or "",
        -1 if row["revenue_minor"] is None else row["revenue_minor"],
        row["currency"] or "",
        row["qa_mode"],
        row["data"],
    )


def first_exposures(rows: Iterable[Row], plan: CountingPlan) -> tuple[Exposures, int]:
    """First exposures of visitors who saw one variation only, and how many saw more than one."""
    seen: defaultdict[str, list[tuple[int, str, str]]] = defaultdict(list)
    for row in rows:
        if _is_exposure(row, plan):
            seen[row["visitor_id"]].append((happened_at(row), row["event_id"], row["variation_id"] or ""))
    faithful = {visitor: min(views) for visitor, views in seen.items() if len({view[2] for view in views}) == 1}
    return {visitor: (view[2], view[0]) for visitor, view in faithful.items()}, len(seen) - len(faithful)


def _is_exposure(row: Row, plan: CountingPlan) -> bool:
    return (
        row["type"] == "experiment_viewed"
        and row["experiment_id"] == plan.experiment_id
        and row["variation_id"] in plan.variation_ids
        and row["assignment_epoch"] in (None, plan.assignment_epoch)
    )


def _count_goal(
    rows: Sequence[Row], exposures: Exposures, goal: GoalPlan, plan: CountingPlan
) -> Mapping[str, GoalCount]:
    if not is_evaluable(goal.filter):
        return {}
    hits = [row for row in rows if goal.is_hit(row)]
    if goal.counts_money:
        hits = _without_repeated_orders(hits)
    if goal.filter is not None:
        hits = [row for row in hits if accepts(goal.filter, row)]
    refunds = _refunds(rows, plan.currency)
    totals: defaultdict[str, list[int]] = defaultdict(list)
    excluded: defaultdict[str, int] = defaultdict(int)
    for row in hits:
        if not _is_attributed(row, exposures, goal):
            continue
        if goal.counts_money and (row["revenue_minor"] is None or row["currency"] != plan.currency):
            excluded[exposures[row["visitor_id"]][0]] += 1
        else:
            totals[row["visitor_id"]].append(_worth(row, goal, refunds))
    return {
        variation_id: _summary(
            [worths for visitor, worths in totals.items() if exposures[visitor][0] == variation_id],
            goal,
            excluded[variation_id],
        )
        for variation_id in plan.variation_ids
    }


def _is_attributed(row: Row, exposures: Exposures, goal: GoalPlan) -> bool:
    exposure = exposures.get(row["visitor_id"])
    return exposure is not None and exposure[1] <= happened_at(row) < exposure[1] + goal.window_ms


def _without_repeated_orders(hits: Iterable[Row]) -> list[Row]:
    """Of hits that name the same order the first; hits without an order id are orders of their own."""
    kept: dict[str, Row] = {}
    for row in sorted(hits, key=lambda row: (happened_at(row), row["event_id"])):
        kept.setdefault(f"order {row['order_id']}" if row["order_id"] else f"event {row['event_id']}", row)
    return list(kept.values())


def _refunds(rows: Iterable[Row], currency: str) -> Mapping[str, int]:
    refunds: defaultdict[str, int] = defaultdict(int)
    for row in rows:
        if row["type"] == "refund" and row["order_id"] and row["currency"] == currency:
            refunds[row["order_id"]] += row["revenue_minor"] or 0
    return refunds


def _worth(row: Row, goal: GoalPlan, refunds: Mapping[str, int]) -> int:
    if not goal.counts_money:
        return 1
    return max(0, (row["revenue_minor"] or 0) - refunds.get(row["order_id"] or "", 0))


def _summary(visitors: Sequence[Sequence[int]], goal: GoalPlan, excluded: int) -> GoalCount:
    once = goal.count_once and not goal.counts_money
    totals = [1 if once else sum(worths) for worths in visitors]
    return GoalCount(
        converters=len(totals),
        count=len(totals) if once else sum(len(worths) for worths in visitors),
        sum=sum(totals),
        sum_squares=sum(total * total for total in totals),
        excluded=excluded,
    )
