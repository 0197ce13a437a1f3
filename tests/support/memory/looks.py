"""Looks in memory."""

import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from abtest.adapters.dynamo.looks import look_item
from abtest.adapters.dynamo.sizes import check_item
from abtest.domain.autostop.shapes import LookState
from abtest.kit import canonical_json
from abtest.ports.rollup_store import Document

Epoch = tuple[str, int]


class MemoryLookStore:
    """Documents in dictionaries, encoded as a table would hold them."""

    def __init__(self) -> None:
        self._states: dict[Epoch, bytes] = {}
        self._looks: defaultdict[Epoch, dict[str, bytes]] = defaultdict(dict)
        self._lock = threading.Lock()

    def state(self, experiment_id: str, measurement_epoch: int) -> LookState | None:
        stored = self._states.get((experiment_id, measurement_epoch))
        return None if stored is None else _loaded(stored)

    def states(self, measurements: Sequence[tuple[str, int]]) -> Mapping[tuple[str, int], LookState]:
        return {each: state for each in measurements if (state := self.state(*each))}

    def put(self, state: LookState, look: Document) -> bool:
        epoch = state["experiment_id"], state["measurement_epoch"]
        for document in (state, look):
            check_item(look_item(("", ""), document, {}))
        with self._lock:
            before = self.state(*epoch) or {"looks": 0, "generation": 0}
            if state["looks"] != before["looks"] + 1 or state["generation"] <= before["generation"]:
                return False
            self._states[epoch] = canonical_json.encode(dict(state))
            self._looks[epoch][look["computed_at"][:13]] = canonical_json.encode(dict(look))
        return True

    def looks(self, experiment_id: str, measurement_epoch: int) -> Sequence[Document]:
        with self._lock:
            return [_loaded(look) for _, look in sorted(self._looks[experiment_id, measurement_epoch].items())]


def _loaded(stored: bytes) -> Any:
    return canonical_json.loads(stored)
