"""Sums of what the units of each round spent: measurements that `tools.cost` has as assumptions."""

from statistics import median
from typing import Any

from benchmarks.scale.rounds import Measured


def summary(measured: Measured) -> dict[str, Any]:
    """By round: units, medians and means of seconds, and calls, bytes and units of the table a unit."""
    return {
        name: {
            "units": len(work.units),
            "cpu": [median(unit.cpu for unit in work.units), work.cpu / len(work.units)],
            "wall": [median(unit.wall for unit in work.units)],
            "rows": sum(unit.rows for unit in work.units),
            "a_unit": {key: value / len(work.units) for key, value in sorted(work.spent().items())},
            "dispatch_cpu": measured.dispatch_cpu[name],
            "dispatch": dict(sorted(measured.dispatch_spent[name].items())),
        }
        for name, work in measured.work.items()
        if work.units
    }
