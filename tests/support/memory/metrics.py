"""Metrics in memory."""

from collections import defaultdict
from collections.abc import Mapping


class MemoryMetrics:
    """Sums of what was told, by name."""

    def __init__(self) -> None:
        self.sums: defaultdict[str, float] = defaultdict(float)

    def put(self, values: Mapping[str, float]) -> None:
        for name, value in values.items():
            self.sums[name] += value
