"""What a use case decided: the personalization before and after, and how the audit names it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from abtest.domain.changes.diff import Diff, differences
from abtest.domain.personalizations.model import Personalization
from abtest.kit.documents import encode

_UNTOLD = frozenset({"version", "updated_at", "experiences", "rules", "goals"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One decided change. `before` None creates, `after` None deletes. `note` holds what the fields do not show."""

    before: Personalization | None
    after: Personalization | None
    action: str
    note: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is different, so that nothing is to be stored."""
        return self.before == self.after

    @property
    def affects_shoppers(self) -> bool:
        """Whether the published configuration may be different from now on."""
        return any(state is not None and state.status == "active" for state in (self.before, self.after))

    @property
    def subject(self) -> Personalization:
        """The personalization in question."""
        subject = self.after or self.before
        if subject is None:
            raise ValueError("a change is about something")
        return subject


def audit_diff(change: Change) -> Diff:
    """The differences of a change, code as hash and length."""
    return differences(_flat(change.before), _flat(change.after), change.note)


def _flat(personalization: Personalization | None) -> Diff:
    """Fields by name; those of experiences by `experiences.<key>.<field>`; rules by place, for their order matters."""
    if personalization is None:
        return {}
    document = encode(personalization)
    flat = {name: value for name, value in document.items() if name not in _UNTOLD}
    for experience in personalization.experiences:
        fields = encode(experience)
        flat |= {f"experiences.{experience.key}.{name}": value for name, value in fields.items()}
    for index, rule in enumerate(personalization.rules):
        flat |= {f"rules.{index}.{name}": value for name, value in encode(rule).items()}
    flat["goals"] = [[goal.id, goal.is_primary] for goal in personalization.goals]
    return flat
