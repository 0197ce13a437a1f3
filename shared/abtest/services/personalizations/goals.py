"""Goals of a personalization: copies of the shop's under their ids, which later changes of the shop's do not reach."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from abtest.domain.goals.model import Goal
from abtest.domain.personalizations.editing import led_by
from abtest.domain.personalizations.model import Personalization
from abtest.kit.clock import Timestamp
from abtest.kit.errors import refused
from abtest.ports.catalog import Catalog
from abtest.services.goals import shop_goal

GOAL_FIELDS = frozenset({"goal_ids", "primary_goal_id"})


def with_goals(
    catalog: Catalog, personalization: Personalization, given: Mapping[str, Any], now: Timestamp
) -> Personalization:
    """The personalization with the goals that `goal_ids` names, led by the one that `primary_goal_id` names.

    Goals that it has already stay as they are. Raises ValidationFailedError for ids that are not goals of the shop.
    """
    if not GOAL_FIELDS & set(given):
        return personalization
    goals = list(personalization.goals)
    if "goal_ids" in given:
        had = {goal.id: goal for goal in goals}
        ids = enumerate(given["goal_ids"])
        goals = [had.get(goal_id) or _copied(catalog, personalization, goal_id, i, now) for i, goal_id in ids]
    return replace(personalization, goals=led_by(goals, given.get("primary_goal_id")))


def _copied(catalog: Catalog, personalization: Personalization, goal_id: str, index: int, now: Timestamp) -> Goal:
    kept = shop_goal(catalog, personalization.shop_id, goal_id)
    if kept is None:
        raise refused(f"goal_ids[{index}]", "must be a goal of the shop")
    return replace(kept, is_primary=False, created_at=now, updated_at=now)
