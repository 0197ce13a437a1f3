"""Roll-ups: the absolute sufficient statistics of an experiment, replaced only by a newer generation."""

from collections.abc import Mapping
from typing import Any, Protocol


class Rollups(Protocol):
    """Documents as docs/data-model.md section 5 describes them."""

    def put(self, document: Mapping[str, Any]) -> bool:
        """Store; False when a document of the same or a higher generation stands there."""
        ...

    def get(self, experiment_id: str, measurement_epoch: int) -> Mapping[str, Any] | None:
        """The present document, or None when nothing was counted yet."""
        ...
