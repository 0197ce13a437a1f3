"""One goal made from the fields of an input, and changed by them; `is_primary` and `role` are kept in step."""

from dataclasses import replace
from typing import Any

from abtest.domain.goals.model import Goal
from abtest.domain.goals.shapes import GoalFields
from abtest.kit.clock import Timestamp
from abtest.kit.errors import refused


def make(stated: GoalFields, *, goal_id: str, experiment_id: str | None, now: Timestamp, window_days: int = 30) -> Goal:
    """A goal from the fields of an input; `window_days` is the shop's default attribution window."""
    fields: dict[str, Any] = {"attribution_window_days": window_days, **tidy(stated)}
    return Goal(id=goal_id, experiment_id=experiment_id, created_at=now, updated_at=now, **fields)


def amend(goal: Goal, stated: GoalFields, now: Timestamp) -> Goal:
    """The goal with the stated fields; the same goal when nothing differs."""
    changed = replace(goal, **tidy(stated))
    return goal if changed == goal else replace(changed, updated_at=now)


def tidy(stated: GoalFields) -> dict[str, Any]:
    """Stated fields as the aggregate holds them, with primary and role in step."""
    fields: dict[str, Any] = {**stated}
    if "capture" in fields:
        fields["capture"] = tuple(fields["capture"])
    role, primary = fields.get("role"), fields.get("is_primary")
    if role is not None and primary is not None and (role == "primary") != primary:
        raise refused("is_primary", "contradicts role")
    if primary is not None and role is None:
        fields["role"] = "primary" if primary else "secondary"
    if role is not None:
        fields["is_primary"] = role == "primary"
    return fields
