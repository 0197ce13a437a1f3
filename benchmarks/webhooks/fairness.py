"""How long events are on their way to healthy endpoints, with and without one beside them that hangs."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles

from benchmarks.webhooks.receiver import arrivals
from benchmarks.webhooks.world import Webhooks

WORKERS, HEALTHY, SLOW_EVENTS = 10, 50, 1000
PATIENCE = 20.0
"""Seconds after the last event that what has not arrived may still take."""


@dataclass(frozen=True)
class Ways:
    """Seconds from event to arrival, and how many events never arrived."""

    seconds: Sequence[float]
    missing: int

    def percentile(self, number: int) -> float:
        return quantiles(self.seconds, n=100, method="inclusive")[number - 1]


def ways(base: str, each: int, seconds: float, *, slow: str = "none") -> Ways:
    """Of `each` events to each of the healthy endpoints, evenly over the seconds.

    `slow` says when the thousand events of the endpoint that hangs happen: "none", "spread" over the same seconds, or
    "first", all before any other.
    """
    webhooks = Webhooks()
    healthy = [webhooks.endpoint(f"{base}/ok") for _ in range(HEALTHY)]
    hanging = webhooks.endpoint(f"{base}/hang")
    count = HEALTHY * each
    happened: dict[str, float] = {}
    rung = SLOW_EVENTS if slow == "first" else 0
    with webhooks.workers(WORKERS):
        for _ in range(rung):
            webhooks.happens(hanging)
        begun = time.monotonic()
        for number in range(count):
            time.sleep(max(0.0, begun + seconds * number / count - time.monotonic()))
            while slow == "spread" and rung * count <= number * SLOW_EVENTS:
                webhooks.happens(hanging)
                rung += 1
            moment = time.time()
            happened[webhooks.happens(healthy[number % HEALTHY])] = moment
        came = _awaited(base, happened)
    found = [came[name] - moment for name, moment in happened.items() if name in came]
    return Ways(found, count - len(found))


def _awaited(base: str, happened: dict[str, float]) -> dict[str, float]:
    came: dict[str, float] = {}
    end = time.monotonic() + PATIENCE
    while not came.keys() >= happened.keys() and time.monotonic() < end:
        time.sleep(0.2)
        came |= arrivals(base)
    return came
