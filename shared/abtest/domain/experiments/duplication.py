"""Copies of an experiment: its design without its history."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from abtest.domain.experiments.limits import NAME_LENGTH
from abtest.domain.experiments.model import Experiment
from abtest.kit.clock import Timestamp

COPIED = (
    "description",
    "owner_user_id",
    "counting_type",
    "delivery_type",
    "targeting",
    "weekday_schedule",
    "results_weekdays",
    "traffic_allocation",
    "experiment_js",
    "experiment_reset_js",
    "experiment_css",
    "sequential_testing_enabled",
    "auto_stop_override",
    "guardian_override",
    "store_url",
    "goal_page_rules",
)


def duplicate(
    source: Experiment,
    *,
    experiment_id: str,
    public_id: str,
    variation_identities: Sequence[tuple[str, str]],
    goal_ids: Mapping[str, str] | None,
    name: str | None,
    now: Timestamp,
) -> Experiment:
    """Return a draft with the source's design, without archived parts; without `goal_ids` it has no goals.

    `goal_ids` gives each goal its id in the copy; `variation_identities` holds at least as many pairs as variations.
    """
    variations = [variation for variation in source.variations if variation.archived_at is None]
    goals = [goal for goal in source.goals if goal.archived_at is None] if goal_ids is not None else []
    return Experiment(
        id=experiment_id,
        shop_id=source.shop_id,
        public_id=public_id,
        # " (copy)" has seven characters.
        name=name or f"{source.name[: NAME_LENGTH - 7]} (copy)",
        created_at=now,
        updated_at=now,
        variations=tuple(
            replace(variation, id=new_id, public_id=new_public_id, experiment_id=experiment_id)
            for variation, (new_id, new_public_id) in zip(variations, variation_identities, strict=False)
        ),
        goals=tuple(
            replace(goal, id=(goal_ids or {})[goal.id], experiment_id=experiment_id, created_at=now, updated_at=now)
            for goal in goals
        ),
        **{field: getattr(source, field) for field in COPIED},
    )
