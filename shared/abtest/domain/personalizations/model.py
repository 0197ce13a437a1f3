"""The personalization aggregate: a personalization with its experiences, rules and goals, consistent as one.

Field names are those of the contract; nested JSON stays as it came.
"""

from dataclasses import dataclass
from typing import Literal

from abtest.domain.experiments.shapes import Mutation
from abtest.domain.goals.model import Goal
from abtest.domain.targeting.shapes import Schedule, Targeting
from abtest.kit.clock import Timestamp

Status = Literal["draft", "active", "paused", "archived"]
DeliveryType = Literal["visual", "api", "recommendation"]
DEFAULT_EXPERIENCE = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Experience:
    """Content for visitors who get the personalization."""

    id: str
    key: str = DEFAULT_EXPERIENCE
    name: str = "Personalized experience"
    value: object = None
    mutations: tuple[Mutation, ...] = ()
    custom_css: str | None = None
    custom_js: str | None = None
    reset_js: str | None = None
    anti_flicker_selectors: tuple[str, ...] = ()
    recommendation_profile: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Audience and pages of an experience; the first rule of a personalization that holds decides."""

    id: str
    experience_key: str
    name: str | None = None
    targeting: Targeting | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Personalization:
    """The aggregate root. `goals` are copies of goals of the shop, under their ids; `activated_at` is the first time.

    Results count since `measurement_started_at`; a change of the rollout begins a new `measurement_epoch`, because it
    changes the shares that are compared.
    """

    id: str
    shop_id: str
    version: int = 0
    key: str
    name: str
    description: str | None = None
    status: Status = "draft"
    delivery_type: DeliveryType = "visual"
    surface: str = "global"
    environment_key: str = "production"
    priority: int = 100
    rollout_percentage: float = 1.0
    template_key: str | None = None
    targeting: Targeting | None = None
    weekday_schedule: Schedule | None = None
    experiences: tuple[Experience, ...] = ()
    rules: tuple[Rule, ...] = ()
    goals: tuple[Goal, ...] = ()
    activated_at: Timestamp | None = None
    archived_at: Timestamp | None = None
    measurement_epoch: int = 1
    measurement_started_at: Timestamp | None = None
    created_at: Timestamp
    updated_at: Timestamp
