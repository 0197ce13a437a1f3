"""Fields of an experiment that the audit compares."""

from abtest.domain.changes.diff import Diff
from abtest.domain.experiments.model import Experiment
from abtest.kit.documents import encode

_NOT_AUDITED = frozenset({"version", "updated_at", "variations", "goals", "approvals"})


def audited(experiment: Experiment) -> Diff:
    """Fields by name; those of variations and goals by `variations.<id>.<field>`, so that order does not matter."""
    flat = {name: value for name, value in encode(experiment).items() if name not in _NOT_AUDITED}
    for variation in experiment.variations:
        flat |= {f"variations.{variation.id}.{name}": value for name, value in encode(variation).items()}
    for goal in experiment.goals:
        flat |= {f"goals.{goal.id}.{name}": value for name, value in encode(goal).items()}
    flat["goal_order"] = [goal.id for goal in experiment.goals]
    return {name: value for name, value in flat.items() if not name.endswith(".updated_at")}
