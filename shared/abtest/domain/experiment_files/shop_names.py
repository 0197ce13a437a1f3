"""Records of a shop under the names that files use: a record without a name of its own is named by its id."""

from collections.abc import Sequence
from typing import Literal, Protocol

from abtest.domain.goals.model import Goal

RecordKind = Literal["PAGE", "AUD", "GOAL"]


class ShopNames(Protocol):
    """Pages, audiences and goals of the shop, read when the first of a kind is needed."""

    def name_of(self, kind: RecordKind, record_id: str) -> str | None:
        """Return the name of a record that no other of its kind has, else None."""
        ...

    def has(self, kind: RecordKind, record_id: str) -> bool:
        """Return whether the shop has the record, in use."""
        ...

    def ids_of(self, kind: RecordKind, name: str) -> Sequence[str]:
        """Return the ids of the records with this name."""
        ...

    def goal(self, goal_id: str) -> Goal | None:
        """Return a goal of the shop that is in use."""
        ...

    @property
    def window_days(self) -> int:
        """The shop's attribution window."""
        ...
