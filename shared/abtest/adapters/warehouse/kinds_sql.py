"""The SQL of which rows a plan asks for: conditions by kind, each of one type where that is possible."""

from abtest.adapters.warehouse.sql_texts import literal, one_of
from abtest.domain.ledger.events import REVENUE_GOAL_ID
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.reference import EXPOSED, FAILED, GIVEN_UP

IS_ORDER = f"(type = 'order' OR (type = 'goal' AND goal_id = '{REVENUE_GOAL_ID}'))"
"""Money came in, whoever told of it."""


def exposure(plan: CountingPlan) -> str:
    """A visitor is in one of the plan's variations."""
    if plan.exposure == "cohort":
        epoch = f"holdout_config_epoch = {literal(plan.assignment_epoch)}"
        return f"type = 'pageview' AND {one_of('cohort', plan.variation_ids)} AND {epoch}{_measured(plan)}"
    return f"type = '{EXPOSED}' AND {_of_experiment(plan)}"


def deliveries(plan: CountingPlan) -> tuple[str, ...]:
    """What else tells of a variation's delivery."""
    return (f"{one_of('type', (FAILED, GIVEN_UP))} AND {_of_experiment(plan)}",) if plan.has_sessions else ()


def _of_experiment(plan: CountingPlan) -> str:
    epoch = f"(assignment_epoch IS NULL OR assignment_epoch = {literal(plan.assignment_epoch)})"
    experiment = f"experiment_id = {literal(plan.experiment_id)}"
    return f"{experiment} AND {one_of('variation_id', plan.variation_ids)} AND {epoch}{_measured(plan)}"


def _measured(plan: CountingPlan) -> str:
    """Of rows that matter: happened since the measurement began."""
    if plan.since == plan.begins_at:
        return ""
    return f" AND ts >= {literal(plan.begins_at)} AND received_at >= {literal(plan.begins_at)}"


def plain_hits(plan: CountingPlan) -> str:
    """Hits without money, told in a way that has every row's type looked at once."""
    told = one_of("goal_id", (goal.goal_id for goal in plan.goals if not goal.counts_money))
    if names := _names(plan):
        return (
            f"type IN ('goal', 'custom') AND CASE type WHEN 'goal' THEN {told} ELSE {one_of('event_name', names)} END"
        )
    return f"type = 'goal' AND {told}"


def _names(plan: CountingPlan) -> list[str]:
    return [goal.event_name for goal in plan.goals if goal.type == "custom" and goal.event_name is not None]


def orders(plan: CountingPlan) -> tuple[str, ...]:
    """Hits that have money."""
    goals = [goal.goal_id for goal in plan.goals if goal.counts_money]
    if not goals:
        return ("FALSE",)
    return ("type = 'order'", f"type = 'goal' AND {one_of('goal_id', [*goals, REVENUE_GOAL_ID])}")


def refund(plan: CountingPlan) -> str:
    """What reduces an order."""
    return "type = 'refund' AND order_id <> ''" if any(goal.counts_money for goal in plan.goals) else "FALSE"
