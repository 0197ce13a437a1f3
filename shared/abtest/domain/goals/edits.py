"""Creation and edit of one goal from given fields; `is_primary` and `role` always agree."""

from dataclasses import replace
from typing import Any

from abtest.domain.goals.model import Goal
from abtest.domain.goals.shapes import GoalFields
from abtest.kit.clock import Timestamp
from abtest.kit.errors import refused


def make(given: GoalFields, *, goal_id: str, experiment_id: str | None, now: Timestamp, window_days: int = 30) -> Goal:
    """Create a goal from given fields; `window_days` is the shop's default attribution window."""
    fields: dict[str, Any] = {"attribution_window_days": window_days, **tidy(given)}
    return Goal(id=goal_id, experiment_id=experiment_id, created_at=now, updated_at=now, **fields)


def amend(goal: Goal, given: GoalFields, now: Timestamp) -> Goal:
    """Return the goal with the given fields; the same goal when nothing differs."""
    changed = replace(goal, **tidy(given))
    return goal if changed == goal else replace(changed, updated_at=now)


def tidy(given: GoalFields) -> dict[str, Any]:
    """Return given fields as the aggregate holds them: `is_primary` follows `role`, and `role` follows `is_primary`."""
    fields: dict[str, Any] = {**given}
    if "capture" in fields:
        fields["capture"] = tuple(fields["capture"])
    role, primary = fields.get("role"), fields.get("is_primary")
    if role is not None and primary is not None and (role == "primary") != primary:
        raise refused("is_primary", "must be true exactly when role is primary")
    if primary is not None and role is None:
        fields["role"] = "primary" if primary else "secondary"
    if role is not None:
        fields["is_primary"] = role == "primary"
    return fields
