"""Looks: what each reading of a running experiment's counts said, and the always-valid p-values so far."""

from collections.abc import Sequence
from typing import Protocol

from abtest.ports.rollup_store import Document


class LookStore(Protocol):
    """Looks of measurement epochs, see docs/data-model.md section 5. All calls may raise DatabaseBusyError."""

    def state(self, experiment_id: str, measurement_epoch: int) -> Document | None:
        """The present state, read consistently; None before the first look."""
        ...

    def put(self, state: Document, look: Document) -> bool:
        """Store a look and the state after it, both or neither.

        `state` follows the one that was read: its `looks` is one more (1 where there was none) and its `generation`
        higher. False, with nothing written, when another look came between or the generation is not higher: so no
        minimum that somebody else found is ever lost. `look` replaces an earlier one of the hour of its `computed_at`.
        """
        ...

    def looks(self, experiment_id: str, measurement_epoch: int) -> Sequence[Document]:
        """The newest look of each hour that had any, by hour."""
        ...
