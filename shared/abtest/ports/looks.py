"""Store of looks: each interim analysis of a running experiment, and the always-valid p-values so far."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from abtest.domain.autostop.shapes import LookState
from abtest.ports.rollup_store import Document


class LookStore(Protocol):
    """Looks by measurement epoch (docs/data-model.md section 5). All calls may raise DatabaseBusyError."""

    def state(self, experiment_id: str, measurement_epoch: int) -> LookState | None:
        """Return the current state, read consistently; None before the first look."""
        ...

    def states(self, measurements: Sequence[tuple[str, int]]) -> Mapping[tuple[str, int], LookState]:
        """Return the states by experiment id and epoch, read consistently; those without a look are absent."""
        ...

    def put(self, state: LookState, look: Document) -> bool:
        """Store a look and the state after it: both or neither.

        `state` follows the one that was read: its `looks` is one more (1 for the first) and its `generation` is higher.
        Returns False, with nothing written, when another look was stored in between or the generation is not higher,
        so that a minimum of another writer is never lost. `look` replaces one of the same hour (`computed_at`).
        Raises ItemTooLargeError for more than 400 KB as stored.
        """
        ...

    def looks(self, experiment_id: str, measurement_epoch: int) -> Sequence[Document]:
        """Return the newest look of each hour with looks, by hour."""
        ...
