"""The feature flag aggregate. Field names are those of the contract; nested JSON stays as it came."""

from dataclasses import dataclass, fields
from typing import Any, Literal

from abtest.domain.targeting.shapes import Schedule, Targeting
from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp

Status = Literal["draft", "active", "paused", "archived"]
DeliveryType = Literal["visual", "api"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Flag:
    """A flag in one environment. `rollout_percentage` is a share, 0..1; `activated_at` is its first activation.

    Flags are equal when they are the same JSON, in which the values `1` and `true` differ.
    """

    id: str
    shop_id: str
    version: int = 0
    key: str
    name: str
    description: str | None = None
    status: Status = "draft"
    delivery_type: DeliveryType = "visual"
    environment_key: str = "production"
    rollout_percentage: float = 1.0
    off_value: Any = False
    on_value: Any = True
    targeting: Targeting | None = None
    weekday_schedule: Schedule | None = None
    activated_at: Timestamp | None = None
    created_at: Timestamp
    updated_at: Timestamp

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Flag):
            return NotImplemented
        pairs = ((getattr(self, field.name), getattr(other, field.name)) for field in fields(self))
        return all(canonical_json.same(mine, theirs) for mine, theirs in pairs)

    __hash__ = None  # type: ignore[assignment]  # values may be lists and objects, which have no hash
