"""Money that is left out of every sum, because it is in another currency or in an unknown one."""

from collections.abc import Sequence

from abtest.contract import report as contract
from abtest.domain.goals.model import Goal
from abtest.domain.ledger.cells import Money
from abtest.domain.ledger.rows import LEFT_OUT
from abtest.services.results.counts import Counts
from abtest.services.results.foreign_money import face_value
from abtest.services.results.question import Question


def set_aside(question: Question, goals: Sequence[Goal], counts: Counts) -> contract.MoneySetAside | None:
    """Return the money left out of goals that depend on it; None without such a goal."""
    counting = [goal for goal in goals if goal.depends_on_money]
    if not counting:
        return None
    amounts = [amount for goal in counting for amount in amounts_of(question, goal, counts)]
    left_out = sum(amount.orders for amount in amounts)
    orders = left_out + sum(
        counts.goal(goal.id, variation.id).hits for goal in counting for variation in question.variations
    )
    message = "No orders have been counted yet."
    if left_out:
        message = (
            f"{left_out:,} of {orders:,} orders ({left_out / orders:.1%}) are not in {question.currency}; their money "
            "is left out of every sum and comparison, and shown here at face value."
        )
    elif orders:
        message = f"Every order counts, in {question.currency}."
    return contract.MoneySetAside(
        currency=question.currency,
        share_of_orders=left_out / orders if orders else None,
        amounts=amounts,
        message=message,
    )


def amounts_of(question: Question, goal: Goal, counts: Counts) -> list[contract.AmountSetAside]:
    """Return the goal's left-out money by kind and currency, with orders by variation."""
    sums: dict[tuple[str, str], Money] = {}
    orders: dict[tuple[str, str], dict[str, int]] = {}
    for variation in question.variations:
        for key, money in (counts.money_of(goal.id, variation.id) or {}).items():
            # Converted money counts in the sums, so it is not set aside.
            if key[0] in LEFT_OUT and money.orders:
                sums[key] = sums.get(key, Money()).plus(money)
                orders.setdefault(key, {})[variation.id] = money.orders
    return [
        contract.AmountSetAside(
            goal_id=goal.id,
            goal_name=goal.name,
            kind="foreign" if kind == "foreign" else "unknown",
            currency=currency if kind == "foreign" else None,
            orders=money.orders,
            amount=face_value(kind, currency, money),
            by_variation=orders[kind, currency],
        )
        for (kind, currency), money in sorted(sums.items())
    ]
