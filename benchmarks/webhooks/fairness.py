"""How long events are on their way to healthy endpoints, with and without others that hang."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from statistics import quantiles

from benchmarks.webhooks.receiver import arrivals
from benchmarks.webhooks.world import Webhooks

WORKERS, HEALTHY, SLOW_EVENTS = 10, 50, 1000
MANY, MANY_EVENTS = 50, 200
"""Endpoints that hang, and what waits for each of them."""

WARM_UP_SECONDS = 10
"""Within them the endpoints begin to hang one by one: all workers here share one interpreter, unlike deployed ones."""

PATIENCE = 90.0
"""Seconds after the last event that what has not arrived may still take; percentiles count it as having taken them."""


@dataclass(frozen=True)
class Ways:
    """Seconds from event to arrival, and how many events never arrived."""

    seconds: Sequence[float]
    missing: int

    def percentile(self, number: int) -> float:
        return quantiles([*self.seconds, *[PATIENCE] * self.missing], n=100, method="inclusive")[number - 1]


@dataclass(frozen=True, kw_only=True)
class Design:
    """Workers, and what keeps endpoints that hang from occupying them."""

    workers: int = WORKERS
    is_helpful: bool = True
    is_fair: bool = True


def ways(base: str, each: int, seconds: float, *, slow: str = "none", design: Design | None = None) -> Ways:
    """Send `each` events to each of the healthy endpoints, evenly over the seconds.

    `slow` names what hangs: nothing for "none"; one endpoint with a thousand events "spread" over the same seconds, or
    "first", all before any other; "many", fifty endpoints, for each of which 200 deliveries wait.
    """
    design = design or Design()
    webhooks = Webhooks(is_fair=design.is_fair)
    healthy = [webhooks.endpoint(f"{base}/ok") for _ in range(HEALTHY)]
    hanging = [webhooks.endpoint(f"{base}/hang") for _ in range(MANY if slow == "many" else 1)]
    count = HEALTHY * each
    happened: dict[str, float] = {}
    rung = SLOW_EVENTS if slow == "first" else 0
    if slow == "many":
        for endpoint in hanging:
            webhooks.waits(endpoint, MANY_EVENTS)
        for number, endpoint in enumerate(hanging):
            delay = timedelta(seconds=WARM_UP_SECONDS * number // MANY)
            webhooks.notifier.deliveries_due(endpoint.shop_id, endpoint.id, delay)
    with webhooks.workers(design.workers, is_helpful=design.is_helpful):
        for _ in range(rung):
            webhooks.happens(hanging[0])
        if slow == "many":
            time.sleep(WARM_UP_SECONDS)
        begun = time.monotonic()
        for number in range(count):
            time.sleep(max(0.0, begun + seconds * number / count - time.monotonic()))
            while slow == "spread" and rung * count <= number * SLOW_EVENTS:
                webhooks.happens(hanging[0])
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
