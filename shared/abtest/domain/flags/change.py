"""What a use case decided about a flag: before and after, and how the audit names it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from abtest.domain.changes.diff import Diff, differences
from abtest.domain.flags.documents import flag_document
from abtest.domain.flags.model import Flag
from abtest.kit import canonical_json

DELIVERED = frozenset({"active", "paused"})
"""States in which flags are evaluated: a paused one answers with its off value."""

_UNTOLD = frozenset({"version", "updated_at"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One decided change. `before` None creates, `after` None deletes. `note` holds what the fields do not show."""

    before: Flag | None
    after: Flag | None
    action: str
    note: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether nothing is different, so that nothing is to be stored."""
        return self.before is not None and self.after is not None and is_same(self.before, self.after)

    @property
    def affects_storefronts(self) -> bool:
        """Whether the published configuration may be different from now on. Flags for servers are not published."""
        return any(is_published(flag) for flag in (self.before, self.after) if flag is not None)

    @property
    def subject(self) -> Flag:
        """The flag in question."""
        subject = self.after or self.before
        if subject is None:
            raise ValueError("a change is about something")
        return subject

    @property
    def diff(self) -> Diff:
        """What the audit tells: `{field: [before, after]}`."""
        return differences(_told(self.before), _told(self.after), self.note)


def is_same(left: Flag, right: Flag) -> bool:
    """Whether two flags say the same: values of `1` and `true` do not."""
    return canonical_json.same(flag_document(left), flag_document(right))


def is_published(flag: Flag) -> bool:
    """Whether storefronts get the flag."""
    return flag.delivery_type == "visual" and flag.status in DELIVERED


def _told(flag: Flag | None) -> Diff:
    fields = {} if flag is None else flag_document(flag)
    return {name: value for name, value in fields.items() if name not in _UNTOLD}
