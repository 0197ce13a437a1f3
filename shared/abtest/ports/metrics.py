"""Metrics that alarms watch."""

from collections.abc import Mapping
from typing import Protocol


class Metrics(Protocol):
    """Sink of metrics. Calls never fail."""

    def put(self, values: Mapping[str, float]) -> None:
        """Record values by name, as of now. Names must not contain data of shops."""
        ...
