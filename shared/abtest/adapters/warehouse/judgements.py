"""Hits that only Python can judge, by filter, scope, or what they add: each once for all goals that judge alike."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, cast

from abtest.domain.ledger.events import Row
from abtest.domain.ledger.hits import judge, worth
from abtest.domain.ledger.plans import GoalPlan
from abtest.kit import canonical_json

JUDGED_COLUMNS = (
    "event_id", "received_at", "type", "name", "data", "url",
    "revenue_minor", "currency", "shop_revenue_minor", "shop_currency",
)  # fmt: skip
"""Columns of the hits to judge; the name is the goal's id or the event's."""

_INTEGERS = ("received_at", "revenue_minor", "shop_revenue_minor")

Verdict = tuple[int, str, int, int]
"""Number of the judgement, event id, when the row was received, and what the hit adds."""


@dataclass(frozen=True)
class Judgement:
    """Rules that decide about a hit of a goal. Equal ones accept the same hits, with the same worth."""

    rules: bytes
    goal: GoalPlan = field(compare=False)
    currency: str

    @classmethod
    def of(cls, goal: GoalPlan, currency: str) -> Self:
        """Return the judgement of a goal of a plan in this currency."""
        rules = {
            "filter": goal.filter,
            "scope": goal.scope,
            "needs_items": goal.needs_items,
            "takes_worth": goal.takes_worth,
            "adds": list(goal.adds),
            "counts_money": goal.counts_money,
        }
        return cls(rules=canonical_json.encode(cast(Any, rules)), goal=goal, currency=currency)


def verdicts(
    judgements: Iterable[tuple[Judgement, int]],
    judged: Iterable[tuple[tuple[str, str], int]],
    rows: Iterable[Sequence[Any]],
) -> Iterator[Verdict]:
    """Yield a verdict for each accepted hit among rows with JUDGED_COLUMNS, whose numbers may be texts.

    `judgements` have their numbers; `judged` has the numbers of those that are for events of a type and name.
    """
    judges: dict[int, tuple[Judgement, Callable[[Row], bool]]] = {
        number: (judgement, judge(judgement.goal)) for judgement, number in judgements
    }
    by_signal: defaultdict[tuple[str, str], set[int]] = defaultdict(set)
    for signal, number in judged:
        by_signal[signal].add(number)
    for values in rows:
        fields = dict(zip(JUDGED_COLUMNS, values, strict=True))
        fields |= {name: None if fields[name] is None else int(fields[name]) for name in _INTEGERS}
        name = "" if fields["type"] == "order" else fields["name"]
        row = cast(Row, fields | {"goal_id": name if fields["type"] == "goal" else None})
        for number in sorted(by_signal[fields["type"], name]):
            judgement, accepting = judges[number]
            if accepting(row):
                yield number, row["event_id"], row["received_at"], worth(judgement.goal, row, judgement.currency)
