"""Fields of a personalization that the audit compares."""

from abtest.domain.changes.diff import Diff
from abtest.domain.personalizations.model import Personalization
from abtest.kit.documents import encode

_NOT_AUDITED = frozenset({"version", "updated_at", "experiences", "rules", "goals"})


def audited(personalization: Personalization) -> Diff:
    """Fields by name; those of experiences by `experiences.<key>.<field>`; rules by place, for their order matters."""
    document = encode(personalization)
    flat = {name: value for name, value in document.items() if name not in _NOT_AUDITED}
    for experience in personalization.experiences:
        fields = encode(experience)
        flat |= {f"experiences.{experience.key}.{name}": value for name, value in fields.items()}
    for index, rule in enumerate(personalization.rules):
        flat |= {f"rules.{index}.{name}": value for name, value in encode(rule).items()}
    flat["goals"] = [[goal.id, goal.is_primary] for goal in personalization.goals]
    return flat
