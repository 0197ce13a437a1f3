"""Goal of an experiment, or of the shop for reuse."""

from dataclasses import dataclass
from typing import Literal

from abtest.domain.goals.shapes import (
    Aggregation,
    Denominator,
    Direction,
    GoalCapture,
    GoalFilter,
    GoalRole,
    GoalType,
    Numerator,
)
from abtest.kit.clock import Timestamp
from abtest.kit.documents import Document, encode

__all__ = ["Aggregation", "Direction", "Goal", "GoalRole", "GoalType", "digested"]

_OF_RATIOS = frozenset({"numerator", "denominator"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """One measure. `experiment_id` is null for a goal that the shop keeps for reuse.

    `numerator` and `denominator` are those of a ratio, null for all other aggregations.
    """

    id: str
    experiment_id: str | None
    name: str
    type: GoalType
    is_primary: bool = False
    role: GoalRole = "secondary"
    direction: Direction = "increase"
    event_name: str | None = None
    selector: str | None = None
    text_match: str | None = None
    url_pattern: str | None = None
    page_id: str | None = None
    count_once: bool = True
    aggregation: Aggregation = "conversion"
    numerator: Numerator | None = None
    denominator: Denominator | None = None
    winsorize_pct: float | None = None
    attribution_window_days: int = 30
    currency_basis: Literal["shop_money"] = "shop_money"
    filter: GoalFilter | None = None
    capture: tuple[GoalCapture, ...] = ()
    archived_at: Timestamp | None = None
    created_at: Timestamp
    updated_at: Timestamp

    @property
    def is_ratio(self) -> bool:
        """Return whether two sums are compared, one divided by the other."""
        return self.aggregation == "ratio"

    @property
    def is_revenue(self) -> bool:
        """Return whether money per visitor is compared."""
        return self.type == "revenue" and not self.is_ratio

    @property
    def depends_on_money(self) -> bool:
        """Return whether orders without money in the shop's currency are left out."""
        return self.type == "revenue" and (not self.is_ratio or self.numerator == "value")


def digested(goal: Goal) -> Document:
    """Return the goal's document as digests take it: fields of ratios are of ratios only.

    Approvals, looks and findings of older releases hold digests without these fields.
    """
    return encode(goal, omit=() if goal.is_ratio else _OF_RATIOS)
