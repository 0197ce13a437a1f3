"""Money that is left out of every sum, because it is in another currency or in one that nobody told."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from abtest.contract import report as contract
from abtest.domain.goals.model import Goal
from abtest.domain.ledger.cells import Money
from abtest.domain.ledger.rows import LEFT_OUT
from abtest.services.results.comparing import Question
from abtest.services.results.foreign_money import face_value
from abtest.services.results.tallies import Tally


@dataclass(slots=True)
class _Amount:
    money: Money = field(default_factory=Money)
    by_variation: dict[str, int] = field(default_factory=dict)


def set_aside(question: Question, goals: Sequence[Goal], tally: Tally) -> contract.MoneySetAside | None:
    """Of the goals that count money; None where there are none."""
    counting = [goal for goal in goals if goal.type == "revenue"]
    if not counting:
        return None
    amounts = [amount for goal in counting for amount in _of_goal(question, goal, tally)]
    left_out = sum(amount.orders for amount in amounts)
    orders = left_out + sum(
        tally.goal(goal.id, variation.id).hits for goal in counting for variation in question.variations
    )
    return contract.MoneySetAside(
        currency=question.currency,
        share_of_orders=left_out / orders if orders else None,
        amounts=amounts,
        message=_message(question.currency, left_out, orders),
    )


def _of_goal(question: Question, goal: Goal, tally: Tally) -> list[contract.AmountSetAside]:
    found: defaultdict[tuple[str, str], _Amount] = defaultdict(_Amount)
    for variation in question.variations:
        for (kind, currency), money in (tally.money_of(goal.id, variation.id) or {}).items():
            if kind in LEFT_OUT and money.orders:
                amount = found[kind, currency]
                amount.money = amount.money.plus(money)
                amount.by_variation[variation.id] = money.orders
    return [
        contract.AmountSetAside(
            goal_id=goal.id,
            goal_name=goal.name,
            kind="foreign" if kind == "foreign" else "unknown",
            currency=currency if kind == "foreign" else None,
            orders=amount.money.orders,
            amount=face_value(kind, currency, amount.money),
            by_variation=amount.by_variation,
        )
        for (kind, currency), amount in sorted(found.items())
    ]


def _message(currency: str, left_out: int, orders: int) -> str:
    if not orders:
        return "No orders have been counted yet."
    if not left_out:
        return f"Every order counts, in {currency}."
    return (
        f"{left_out:,} of {orders:,} orders ({left_out / orders:.1%}) are not in {currency}; their money is left "
        f"out of every sum and comparison, and shown here as it was told."
    )
