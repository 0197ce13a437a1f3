"""Whether numbers of a goal are numbers of the same thing: what was found under another definition is no evidence."""

from abtest.domain.goals.model import Goal
from abtest.kit import canonical_json
from abtest.kit.documents import encode

_NO_MATTER_OF_COUNTING = frozenset(("id", "experiment_id", "name", "is_primary", "role", "direction", "capture"))
_MOMENTS = frozenset(("archived_at", "created_at", "updated_at"))


def counted(goal: Goal) -> dict[str, object]:
    """Its document without what is no matter of counting: equal where two goals count the same."""
    return {
        name: value
        for name, value in encode(goal).items()
        if name not in _NO_MATTER_OF_COUNTING and name not in _MOMENTS
    }


def definition_digest(goal: Goal, currency: str, results_weekdays: object = None) -> str:
    """Digest of what the goal counts, in which currency, of visitors of which weekdays (None: of all).

    It stands in stored looks and in Guardian's memory: another digest for the same definition forgets what was found.
    """
    return canonical_json.sha256([goal.id, counted(goal), results_weekdays, currency])
