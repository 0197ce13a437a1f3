"""What a dashboard reads: results, their course by day, their segments, from roll-ups in memory.

28 days, three variations, five goals, money in three currencies. Each route is timed through its use case and through
the whole Lambda handler (authentication, rate limit, validation, JSON), after the first reading and as the first one of
a process. Beside it a plain reading of the same documents: JSON parsed and summed up, which every request would pay
that keeps nothing. Aim: p99 under 20 ms without network.
"""

import gc
import json
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any

from abtest.domain.experiments.model import Experiment
from abtest.domain.ledger.cells import DIMENSIONS, PAIRS, QUARTER, Cell, Counts, GoalCount, Money, MoneyCell
from abtest.domain.ledger.daily_counts import DailyCounts
from abtest.domain.ledger.plans import plan_counting
from abtest.domain.ledger.rollup_documents import rollup_documents
from abtest.http.factory import create_app, handler
from abtest.kit import canonical_json
from abtest.kit.clock import to_milliseconds
from abtest.kit.documents import decode
from abtest.services.context import Caller
from abtest.services.results import (
    ReportReading,
    Results,
    ResultsQuery,
    RollupReader,
    SegmentReading,
    SeriesQuery,
    SeriesReading,
)
from abtest.wiring.api_analytics import analytics_of
from abtest.wiring.api_experiments import experiments_uses
from api_analytics.endpoints.results import router as results
from api_analytics.endpoints.segments import router as segments
from api_analytics.endpoints.timeseries import router as timeseries
from api_experiments.routes import ROUTERS
from benchmarks.bench_edge import Context
from benchmarks.harness import line, milliseconds, peak_megabytes
from benchmarks.world import gateway_event
from tests.support.api import MemoryApi
from tests.support.memory import MemoryLookStore, MemoryQueue, MemoryRollupStore, MemorySessions

DAYS, VISITORS_A_QUARTER, ROUNDS = 28, 6, 200
VALUES = {
    "device": ("desktop", "mobile", "tablet"),
    "country": ("AT", "BE", "CH", "CZ", "DE", "DK", "ES", "FR", "GB", "IT", "NL", "PL", "SE", "US", "unknown"),
    "visitor_kind": ("new", "returning"),
    "source": ("direct", "search", "social", "email", "paid", "referral"),
}
GOALS = [
    {"name": "Revenue", "type": "revenue", "is_primary": True, "winsorize_pct": 0.01},
    *({"name": f"Step {n}", "type": "custom", "event_name": f"step_{n}"} for n in range(4)),
]


@dataclass(frozen=True)
class Dashboard:
    """A shop with one experiment whose roll-up is as large as a busy month makes it."""

    api: MemoryApi
    store: MemoryRollupStore
    caller: Caller
    key: str
    experiment_id: str
    epoch: int
    last: str


def made() -> Dashboard:
    """The experiment through the product, its roll-up through the documents' own code."""
    api, store = MemoryApi([]), MemoryRollupStore()
    uses = {
        **experiments_uses(api.management, MemorySessions()),
        **analytics_of(api.world, store, MemoryLookStore(), MemoryQueue(), MemorySessions()),
    }
    api.handler = handler(create_app([*ROUTERS, results, timeseries, segments], api.management.services(uses)))
    tenant = api.tenant()
    client = api.client(tenant.admin)
    weights = ((0.34, True), (0.33, False), (0.33, False))
    variations = [{"name": f"V{n}", "weight": weight, "is_control": it} for n, (weight, it) in enumerate(weights)]
    found = client.post("/experiments", {"name": "Month", "goals": GOALS, "variations": variations}).json()
    client.post(f"/experiments/{found['id']}/launch", {"override_checklist_warnings": True})
    record = api.management.catalog.get(tenant.shop.id, "EXP", found["id"])
    assert record is not None
    plan = plan_counting(decode(Experiment, record.body), "EUR")
    assert plan is not None
    first = to_milliseconds(api.clock.now()) // (15 * 60 * 1000)
    api.clock.advance(days=DAYS)
    counts = invented(plan.variation_ids, [goal.goal_id for goal in plan.goals], first)
    documents = rollup_documents(plan, DailyCounts.of(counts), generation=1, computed_at=api.world.now(), stored=None)
    assert store.put(documents.totals, documents.days, documents.segments)
    caller = Caller(key_id="", kind="shop", user_id="", shop_id=tenant.shop.id, scopes=frozenset(), request_id="")
    return Dashboard(api, store, caller, tenant.admin, found["id"], plan.measurement_epoch, max(documents.days))


def invented(variation_ids: tuple[str, ...], goal_ids: list[str], first: int) -> Counts:
    """Visitors in every quarter of the month and in every segment that they can be in."""
    random = Random(1)
    visitors: dict[Cell, int] = {}
    goals: dict[str, dict[Cell, GoalCount]] = {goal_id: {} for goal_id in goal_ids}
    cells = [
        Cell(variation_id, QUARTER, first + quarter, "")
        for variation_id in variation_ids
        for quarter in range(DAYS * 96)
    ]
    cells += [
        Cell(variation_id, dimension, first // 96 + day, value)
        for variation_id in variation_ids
        for day in range(DAYS)
        for dimension in (*DIMENSIONS, *PAIRS)
        for value in _values(dimension)
    ]
    for cell in cells:
        visitors[cell] = random.randint(1, 2 * VISITORS_A_QUARTER)
        for goal_id in goal_ids:
            converters = random.randint(0, visitors[cell])
            total = converters * random.randint(500, 20_000)
            goals[goal_id][cell] = GoalCount(converters, converters, total, total * total // max(converters, 1))
    money = {
        MoneyCell(variation_id, first + 4 * hour, "foreign", currency): Money(1, 1234)
        for variation_id in variation_ids
        for hour in range(DAYS * 24)
        for currency in ("USD", "GBP")
    }
    return Counts(visitors=visitors, goals=goals, money={goal_ids[0]: money}, through=None)


def _values(dimension: str) -> list[str]:
    names = dimension.split("+")
    if len(names) == 1:
        return list(VALUES[names[0]])
    return [f"{left}|{right}" for left in VALUES[names[0]] for right in VALUES[names[1]]]


def percentiles(call: Callable[[], object], rounds: int = ROUNDS) -> tuple[float, float]:
    """The median and the 99th percentile of a call, in seconds on the processor: others share this machine."""
    for _ in range(rounds // 10 + 1):
        call()
    gc.collect()
    times = []
    for _ in range(rounds):
        started = time.process_time()
        call()
        times.append(time.process_time() - started)
    times.sort()
    return times[len(times) // 2], times[int(len(times) * 0.99)]


def services(found: Dashboard) -> dict[str, Callable[[RollupReader], object]]:
    """The routes' use cases, on a reader that may know the documents or not."""
    world, caller, one, looks = found.api.world, found.caller, found.experiment_id, MemoryLookStore()
    return {
        "results": lambda reader: Results(world, reader, looks).read(caller, one, ResultsQuery()),
        "results, sequential": lambda reader: Results(world, reader, looks).read(
            caller, one, ResultsQuery(engine="sequential")
        ),
        "results, bayesian": lambda reader: Results(world, reader, looks).read(
            caller, one, ResultsQuery(engine="bayesian")
        ),
        "results, 14 days": lambda reader: Results(world, reader, looks).read(
            caller, one, ResultsQuery(range=_half(found))
        ),
        "timeseries, days, cumulative": lambda reader: SeriesReading(world, reader).read(
            caller, one, SeriesQuery(timezone="Europe/Berlin")
        ),
        "segments, device": lambda reader: SegmentReading(world, reader).read(caller, one, ["device"]),
        "the report's facts": lambda reader: ReportReading(world, reader, looks).read(caller, one),
    }


def _half(found: Dashboard) -> Any:
    from abtest.services.results import Range

    return Range(start=found.last[:8] + "01")


def handled(found: Dashboard) -> dict[str, Callable[[], object]]:
    """The same through the handler, with the key and everything that a request passes."""
    base = f"/api/v1/experiments/{found.experiment_id}/results"
    asked = {
        "results": (base, {}),
        "results, sequential": (base, {"engine": "sequential"}),
        "results, bayesian": (base, {"engine": "bayesian"}),
        "results, 14 days": (base, {"from": found.last[:8] + "01"}),
        "timeseries, days, cumulative": (f"{base}/timeseries", {"timezone": "Europe/Berlin"}),
        "segments, device": (f"{base}/segments", {"dimension": "device"}),
    }
    headers = {"authorization": f"Bearer {found.key}"}

    def call(path: str, query: dict[str, str]) -> Callable[[], object]:
        event = gateway_event("GET", path, headers=headers, query=query)

        def once() -> object:
            found.api.clock.advance(seconds=1)  # so that the rate limit lets everything pass
            answer = found.api.handler(event, Context())
            assert answer["statusCode"] == 200, answer
            return answer

        return once

    return {name: call(*parts) for name, parts in asked.items()}


def plain(found: Dashboard) -> dict[str, Callable[[], object]]:
    """The documents that an answer needs, parsed with the standard library and summed up by day or value."""
    last = found.last
    totals = found.store.totals(found.experiment_id, found.epoch)
    days = found.store.days(found.experiment_id, found.epoch, "2000-01-01", last)
    slices = found.store.segments(found.experiment_id, found.epoch, "2000-01-01", last)
    texts = {
        name: [json.dumps(part) for part in parts] for name, parts in (("t", [totals]), ("d", days), ("s", slices))
    }

    def summed(name: str, place: int, wanted: str) -> dict[Any, int]:
        sums: dict[Any, int] = {}
        for text in texts[name]:
            document = json.loads(text)
            for goal_id, entries in document["goals"].items():
                for entry in entries:
                    if entry[1] == wanted:
                        key = (goal_id, entry[0], entry[place])
                        sums[key] = sums.get(key, 0) + entry[4]
        return sums

    return {
        "results": lambda: json.loads(texts["t"][0]),
        "results, sequential": lambda: json.loads(texts["t"][0]),
        "results, bayesian": lambda: json.loads(texts["t"][0]),
        "results, 14 days": lambda: summed("d", 1, QUARTER),
        "timeseries, days, cumulative": lambda: summed("d", 2, QUARTER),
        "segments, device": lambda: summed("s", 3, "device"),
        "the report's facts": lambda: (summed("d", 2, QUARTER), summed("s", 3, "device")),
    }


def _cold(read: Callable[[RollupReader], object], found: Dashboard) -> object:
    return read(RollupReader(found.store))


def main() -> None:
    logging.disable(logging.INFO)  # the journal's lines are not what is measured here
    found = made()
    size = sum(
        len(canonical_json.encode(dict(part)))
        for part in found.store.days(found.experiment_id, found.epoch, "2000-01-01", found.last)
    )
    print(f"A dashboard's reading: {DAYS} days, 3 variations, 5 goals; day items {size / 1e6:.1f} MB of JSON")
    baselines, whole = plain(found), handled(found)
    warm = RollupReader(found.store)
    for name, read in services(found).items():
        base, base_worst = percentiles(baselines[name], 20)
        ours, worst = percentiles(partial(read, warm))
        first, _ = percentiles(partial(_cold, read, found), 5)
        line(
            f"{name}: use case, p50",
            milliseconds(ours),
            "documents parsed and summed, p50",
            milliseconds(base),
            ours / base,
        )
        line("  use case, p99", milliseconds(worst), "the same, p99", milliseconds(base_worst), worst / base_worst)
        line("  first reading of a process", milliseconds(first), "", "", first / base)
        if name not in whole:
            continue
        through, through_worst = percentiles(whole[name])
        line("  whole handler, p50", milliseconds(through), "", "", through / base)
        line("  whole handler, p99 (aim 20 ms)", milliseconds(through_worst), "", "", through_worst / base_worst)
    print(f"  peak memory {peak_megabytes():.0f} MB")


if __name__ == "__main__":
    main()
