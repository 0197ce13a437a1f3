"""SQL conditions for the rows that a plan needs, by kind, each for one event type where possible."""

from abtest.adapters.warehouse.sql_texts import literal, one_of
from abtest.domain.ledger.events import REVENUE_GOAL_ID
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.reference import EXPOSED, FAILED, GIVEN_UP

IS_ORDER = f"(type = 'order' OR (type = 'goal' AND goal_id = '{REVENUE_GOAL_ID}'))"
"""Condition of an order: its own event type, or the built-in revenue goal."""


def exposure(plan: CountingPlan) -> str:
    """Return the condition for exposures to one of the plan's variations."""
    if plan.exposure == "cohort":
        epoch = f"holdout_config_epoch = {literal(plan.assignment_epoch)}"
        return f"type = 'pageview' AND {one_of('cohort', plan.variation_ids)} AND {epoch}{_measured(plan)}"
    return f"type = '{EXPOSED}' AND {_of_experiment(plan)}"


def deliveries(plan: CountingPlan) -> tuple[str, ...]:
    """Return the conditions for the other events about the delivery of a variation."""
    return (f"{one_of('type', (FAILED, GIVEN_UP))} AND {_of_experiment(plan)}",) if plan.has_sessions else ()


def _of_experiment(plan: CountingPlan) -> str:
    epoch = f"(assignment_epoch IS NULL OR assignment_epoch = {literal(plan.assignment_epoch)})"
    experiment = f"experiment_id = {literal(plan.experiment_id)}"
    return f"{experiment} AND {one_of('variation_id', plan.variation_ids)} AND {epoch}{_measured(plan)}"


def _measured(plan: CountingPlan) -> str:
    # Rows from before the measurement are only needed for covariates; `since` is earlier then.
    if plan.since == plan.begins_at:
        return ""
    return f" AND ts >= {literal(plan.begins_at)} AND received_at >= {literal(plan.begins_at)}"


def plain_hits(plan: CountingPlan) -> str:
    """Return the condition for hits without money. It reads the type of each row only once."""
    has_goal = one_of("goal_id", (goal.goal_id for goal in plan.goals if not goal.counts_money))
    names = [goal.event_name for goal in plan.goals if goal.type == "custom" and goal.event_name is not None]
    if not names:
        return f"type = 'goal' AND {has_goal}"
    has_name = one_of("event_name", names)
    return f"type IN ('goal', 'custom') AND CASE type WHEN 'goal' THEN {has_goal} ELSE {has_name} END"


def orders(plan: CountingPlan) -> tuple[str, ...]:
    """Return the conditions for hits with money."""
    goals = [goal.goal_id for goal in plan.goals if goal.counts_money]
    if not goals:
        return ("FALSE",)
    return ("type = 'order'", f"type = 'goal' AND {one_of('goal_id', [*goals, REVENUE_GOAL_ID])}")


def refund(plan: CountingPlan) -> str:
    """Return the condition for refunds of orders."""
    return "type = 'refund' AND order_id <> ''" if any(goal.counts_money for goal in plan.goals) else "FALSE"
