"""What changed in an experiment, for the audit."""

from abtest.domain.changes.diff import Diff, differences
from abtest.domain.experiments.change import Change
from abtest.domain.experiments.model import Experiment
from abtest.kit.documents import encode

_UNTOLD = frozenset({"version", "updated_at", "variations", "goals", "approvals"})


def audit_diff(change: Change) -> Diff:
    """The differences of a change."""
    return differences(_flat(change.before), _flat(change.after), change.note)


def _flat(experiment: Experiment | None) -> Diff:
    """Fields by name; those of variations and goals by `variations.<id>.<field>`, so that order does not matter."""
    if experiment is None:
        return {}
    flat = {name: value for name, value in encode(experiment).items() if name not in _UNTOLD}
    for variation in experiment.variations:
        flat |= {f"variations.{variation.id}.{name}": value for name, value in encode(variation).items()}
    for goal in experiment.goals:
        flat |= {f"goals.{goal.id}.{name}": value for name, value in encode(goal).items()}
    flat["goal_order"] = [goal.id for goal in experiment.goals]
    return {name: value for name, value in flat.items() if not name.endswith(".updated_at")}
