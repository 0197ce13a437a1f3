"""The reference: counts from rows, one rule a function, in memory. Every engine must return exactly these counts.

`ShopRows` selects rows by type and name, so that a plan costs the rows that it counts and not those of the shop.
"""

from collections import defaultdict
from collections.abc import Iterable

from abtest.domain.ledger.cells import Counts, SessionCount
from abtest.domain.ledger.events import SELECTOR_MISSING, WITHOUT_STICKY, Row
from abtest.domain.ledger.exposures import Exposure, Seen, segments_of, summed_in_cells
from abtest.domain.ledger.goal_counts import Exposures, count_goal, refunds_by_time
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.rows import SenderClock, Signal
from abtest.domain.ledger.shop_rows import Event, ShopRows

# Types of events that report the delivery of a variation.
EXPOSED, FAILED, GIVEN_UP = "experiment_viewed", "sdk_error", "sdk_perf"


def count(rows: Iterable[Row], plan: CountingPlan) -> Counts:
    """Count the ledger's rows, in any order and with any repeats, by the plan; see `count_plan`."""
    return count_plan(ShopRows(row for row in rows if row["shop_id"] == plan.shop_id), plan)


def count_plan(rows: ShopRows, plan: CountingPlan) -> Counts:
    """Count the rows of the plan's shop by the plan.

    `goals` has an entry for each goal of the plan. `money` has those that count money, `spread` those that are
    winsorized, `covariates` those that look back, `covariate_steps` those that are both. Entries may be empty.
    """
    exposures, multiple_exposure = first_exposures(rows, plan)
    refunds = refunds_by_time(rows, plan) if exposures else None
    goals = {goal.goal_id: count_goal(rows, exposures, goal, plan, refunds) for goal in plan.goals}
    return Counts(
        visitors={
            cell: number for cell, (number,) in summed_in_cells((each, (1,)) for each in exposures.values()).items()
        },
        goals={goal_id: counts.cells for goal_id, counts in goals.items()},
        money={goal.goal_id: goals[goal.goal_id].money for goal in plan.goals if goal.lists_money},
        spread={goal.goal_id: goals[goal.goal_id].spread for goal in plan.goals if goal.winsorize_pct is not None},
        covariates={goal.goal_id: goals[goal.goal_id].covariates for goal in plan.goals if goal.looks_back},
        covariate_steps={
            goal.goal_id: goals[goal.goal_id].covariate_steps for goal in plan.goals if goal.has_covariate_steps
        },
        sessions=sessions(rows, plan),
        multiple_exposure=multiple_exposure,
        through=rows.newest(plan.begins_at),
    )


def first_exposures(rows: ShopRows, plan: CountingPlan) -> tuple[Exposures, int]:
    """Return the first exposures of visitors who saw one variation only, and the number who saw more than one."""
    first: dict[str, Event] = {}
    seen: defaultdict[str, dict[SenderClock, Seen]] = defaultdict(dict)
    unfaithful: set[str] = set()
    for event in _measured(rows, exposure_signals(plan), plan):
        if not is_exposure(event.row, plan):
            continue
        visitor_id, sent = event.row["visitor_id"], event.sent
        known, by_clock = first.setdefault(visitor_id, event), seen[visitor_id]
        since, at = by_clock.get(sent.clock, (sent.ts, event.at))
        by_clock[sent.clock] = Seen(min(since, sent.ts), min(at, event.at))
        if known is event:
            continue
        # Before `known` may be replaced: if all rows equal the one known at their turn, all are equal.
        if _variation_of(event.row, plan) != _variation_of(known.row, plan):
            unfaithful.add(visitor_id)
        if event.in_senders_order < known.in_senders_order:
            first[visitor_id] = event
    exposures: dict[str, Exposure] = {}
    for visitor_id, event in first.items():
        if visitor_id not in unfaithful:
            variation_id, at = _variation_of(event.row, plan), min(each.at for each in seen[visitor_id].values())
            exposures[visitor_id] = Exposure(variation_id, at, segments_of(event.row), seen[visitor_id], plan.begins_at)
    return exposures, len(unfaithful)


def _measured(rows: ShopRows, signals: Iterable[Signal], plan: CountingPlan) -> list[Event]:
    """Return events since the measurement began; older ones are only for hits before exposures."""
    return [event for event in rows.select(list(signals), plan.since) if event.at >= plan.begins_at]


def exposure_signals(plan: CountingPlan) -> list[Signal]:
    """Return the signals of all rows that may put a visitor into a variation."""
    if plan.exposure == "cohort":
        return [("pageview", cohort) for cohort in plan.variation_ids]
    return [(EXPOSED, plan.experiment_id)]


def sessions(rows: ShopRows, plan: CountingPlan) -> dict[str, SessionCount]:
    """Count sessions by the variation that rows name, also of visitors who were not exposed."""
    if not plan.has_sessions:
        return {}
    marks: defaultdict[tuple[str, str, str], set[str]] = defaultdict(set)
    signals = [(kind, plan.experiment_id) for kind in (EXPOSED, FAILED, GIVEN_UP)]
    for row, *_ in _measured(rows, signals, plan):
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
