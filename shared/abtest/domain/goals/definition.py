"""Definition of a goal as a digest: numbers that were counted under another definition are not comparable."""

from abtest.domain.goals.model import Goal, digested
from abtest.kit import canonical_json

_NOT_COUNTED = frozenset(
    {"id", "experiment_id", "name", "is_primary", "role", "direction", "capture"}
    | {"archived_at", "created_at", "updated_at"}
)


def counted(goal: Goal) -> dict[str, object]:
    """Return the goal's document without fields that do not affect counting: equal where two goals count the same."""
    return {name: value for name, value in digested(goal).items() if name not in _NOT_COUNTED}


def definition_digest(goal: Goal, currency: str, results_weekdays: object = None) -> str:
    """Return a digest of what the goal counts, its currency, and the weekdays of its visitors (None: all).

    Stored looks and Guardian's memory hold it: another digest for the same definition would discard their findings.
    """
    return canonical_json.sha256([goal.id, counted(goal), results_weekdays, currency])
