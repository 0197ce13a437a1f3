"""Roll-ups in memory."""

import threading
from collections.abc import Mapping
from typing import Any

from abtest.kit import canonical_json


class MemoryRollups:
    """Roll-up documents in a dictionary."""

    def __init__(self) -> None:
        self._documents: dict[tuple[str, int], tuple[int, bytes]] = {}
        self._lock = threading.Lock()

    def put(self, document: Mapping[str, Any]) -> bool:
        key = (document["experiment_id"], document["measurement_epoch"])
        generation = document["generation"]
        with self._lock:
            if key in self._documents and self._documents[key][0] >= generation:
                return False
            self._documents[key] = (generation, canonical_json.encode(dict(document)))
        return True

    def get(self, experiment_id: str, measurement_epoch: int) -> Mapping[str, Any] | None:
        found = self._documents.get((experiment_id, measurement_epoch))
        return canonical_json.loads(found[1]) if found else None
