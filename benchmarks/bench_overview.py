"""An overview of fifty running experiments, next to reading the same one by one, and next to results of one experiment.

All are requests to warm handlers in this process, with key, limit and checks, on one local engine: DynamoDB in another
process, so each read costs what reads cost here. Every experiment has 28 days, three variations, five goals, and looks.
One by one: the list, then results and health of each, 101 requests. Between two overviews nothing is counted, as
between most polls; `after a count` every experiment has new totals. Aims: requests <= 0.04 with the
two that a screen adds, of webhooks and of the quarantine; p99 of a warm overview <= 3 x results of one experiment.
"""

import gc
import gzip
import json
import logging
import os
import time
import tracemalloc
from base64 import b64decode
from collections.abc import Callable, Mapping
from datetime import timedelta
from itertools import cycle
from typing import Any

from abtest.adapters.dynamo import DynamoLookStore, DynamoRollupStore
from abtest.domain.autostop.looks import look_at
from abtest.domain.experiments.model import Experiment
from abtest.domain.ledger.daily_counts import DailyCounts
from abtest.domain.ledger.plans import plan_counting
from abtest.domain.ledger.rollup_documents import rollup_documents
from abtest.kit.clock import SystemClock, timestamp, to_milliseconds
from abtest.services.experiments.records import experiment_of
from abtest.services.results.evidence import evidence_in
from abtest.services.results.shop_rules import ShopRules
from abtest.services.results.snapshots import ReadItems, Snapshot
from benchmarks.bench_dashboard import DAYS, GOALS, invented
from benchmarks.bench_edge import Context
from benchmarks.harness import line, milliseconds, peak_megabytes
from benchmarks.local_engine import local_engine
from benchmarks.world import gateway_event
from tests.support.keys import stored_keys
from tests.support.template import Stack
from tools.local.provision.clients import Clients

EXPERIMENTS, ROUNDS, KEYS = 50, 100, 12
"""Keys: each may call 600 times a minute."""

FIRST_VISIT = 3
"""Requests of the screen: the overview, health of webhooks, quarantined events."""

Handler = Callable[[dict[str, Any], Any], dict[str, Any]]


class Screen:
    """A shop with running experiments, and the two families that a screen of them calls."""

    def __init__(self, clients: Clients, endpoint: str) -> None:
        stack = Stack.planned(endpoint=endpoint)
        stack.create(clients)
        os.environ.update(stack.environment("ApiExperiments") | stack.environment("ApiAnalytics"))
        # Imported with the environment: each composes its stores then.
        from abtest.services.keys import mint
        from abtest.services.shops import Shops
        from abtest.wiring.api import management
        from api_analytics.app import handler as analytics
        from api_experiments.app import handler as experiments

        self.analytics: Handler = analytics
        self.experiments: Handler = experiments
        self.base = management()
        world, fields = self.base.world, {"name": "Shop", "domain": "shop.example", "currency": "EUR"}
        self.shop, key = Shops(world, self.base.publication).found(world.new_id(), fields)
        minted = [
            mint(world, kind="shop", shop_id=self.shop.id, user_id=key.key.user_id, name="Key", scopes=key.key.scopes)
            for _ in range(KEYS)
        ]
        for each in minted:
            world.catalog.commit(stored_keys(world.catalog, [each.key], world.now()))
        self._keys = cycle([each.text for each in minted])
        self.rollups = DynamoRollupStore(stack.name("RollupsTable"))
        self.looks = DynamoLookStore(stack.name("RollupsTable"))
        self.generation = 0
        self.bytes, self.text = 0, ""
        self.ids = [self._launched(number) for number in range(EXPERIMENTS)]

    def _launched(self, number: int) -> str:
        weights = ((0.34, True), (0.33, False), (0.33, False))
        arms = [{"name": f"V{n}", "weight": weight, "is_control": it} for n, (weight, it) in enumerate(weights)]
        body = {"name": f"Test {number}", "goals": GOALS, "variations": arms}
        made = self.call(self.experiments, "POST", "/experiments", body=body)
        launch = {"override_checklist_warnings": True}
        self.call(self.experiments, "POST", f"/experiments/{made['id']}/launch", body=launch)
        return str(made["id"])

    def call(self, handler: Handler, method: str, path: str, *, body: Any = None) -> Any:
        """Send one request and return its JSON."""
        headers = {"authorization": f"Bearer {next(self._keys)}", "content-type": "application/json"}
        text = None if body is None else json.dumps(body)
        path, _, query = path.partition("?")
        event = gateway_event(method, f"/api/v1{path}", headers=headers, body=text)
        answer = handler({**event, "rawQueryString": query}, Context())
        assert answer["statusCode"] in (200, 201), answer
        content = b64decode(answer["body"]) if answer["isBase64Encoded"] else answer["body"].encode()
        self.bytes = len(content)
        return json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)

    def overview(self) -> Any:
        """Read the overview."""
        return self.call(self.analytics, "GET", f"/analytics/overview?limit={EXPERIMENTS}")

    def results(self, experiment_id: str) -> Any:
        """Read results of one experiment."""
        return self.call(self.analytics, "GET", f"/experiments/{experiment_id}/results")

    def one_by_one(self) -> int:
        """Read the same as an overview by the routes of experiments; return the number of requests."""
        listed = self.call(self.experiments, "GET", f"/experiments?status=running&limit={EXPERIMENTS}")["data"]
        for experiment in listed:
            self.results(experiment["id"])
            self.call(self.analytics, "GET", f"/experiments/{experiment['id']}/health")
        return 1 + 2 * len(listed)

    def count(self) -> None:
        """Store totals of a month, and a look at them, for each experiment: those of the first, under its own ids."""
        self.generation += 1
        catalog, shop_id, now = self.base.world.catalog, self.shop.id, timestamp(SystemClock().now())
        rules = ShopRules(catalog, shop_id)
        experiments = [experiment_of(catalog, shop_id, experiment_id) for experiment_id in self.ids]
        text = self.text = self.text or json.dumps(month_of(experiments[0]))
        for experiment in experiments:
            own = text
            for before, after in zip(ids_of(experiments[0]), ids_of(experiment), strict=True):
                own = own.replace(before, after)
            totals = {**json.loads(own), "generation": self.generation, "computed_at": now}
            assert self.rollups.put(totals, {}, {})
            evidence = evidence_in(Snapshot(totals, self.rollups, ReadItems(0)), rules, experiment)
            assert evidence is not None
            state, look = look_at(self.looks.state(experiment.id, 1), evidence, now)
            assert self.looks.put(state, dict(look))


def ids_of(experiment: Experiment) -> list[str]:
    """Return all ids that totals have."""
    return [experiment.id, *(arm.id for arm in experiment.variations), *(goal.id for goal in experiment.goals)]


def month_of(experiment: Experiment) -> Any:
    """Return invented totals of a month of this experiment."""
    plan = plan_counting(experiment, "EUR")
    assert plan is not None
    first = to_milliseconds(SystemClock().now() - timedelta(days=DAYS)) // (15 * 60 * 1000)
    counts = invented(plan.variation_ids, [goal.goal_id for goal in plan.goals], first)
    return rollup_documents(plan, DailyCounts.of(counts), generation=1, computed_at="", stored=None).totals


Times = tuple[float, float, float, float]
"""Seconds of a call: median and 99th percentile, elapsed and on the processor."""


def times_of(calls: Mapping[str, Callable[[], object]], rounds: int, before: Callable[[], object]) -> dict[str, Times]:
    """Time calls in turn, so that what drifts on a shared machine drifts for all, after a first round."""
    elapsed: dict[str, list[float]] = {name: [] for name in calls}
    cpu: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds + 1):
        before()
        for name, call in calls.items():
            begun, used = time.perf_counter(), time.process_time()
            call()
            elapsed[name].append(time.perf_counter() - begun)
            cpu[name].append(time.process_time() - used)

    def place(seconds: list[float], share: float) -> float:
        return sorted(seconds[1:])[int(rounds * share)]

    return {
        name: (place(elapsed[name], 0.5), place(elapsed[name], 0.99), place(cpu[name], 0.5), place(cpu[name], 0.99))
        for name in calls
    }


def measure(screen: Screen) -> None:
    """Time the overview and what it replaces, and print them next to each other."""
    screen.count()
    screen.results(screen.ids[0])
    tracemalloc.start()
    shown = screen.overview()
    kept, peak = (each / 1024 for each in tracemalloc.get_traced_memory())
    tracemalloc.stop()
    size, number, ids = screen.bytes, screen.one_by_one(), cycle(screen.ids)
    assert len(shown["data"]) == EXPERIMENTS, "every experiment has a row"
    # What the preparation left behind is not collected in a request that is timed.
    gc.collect()
    gc.freeze()
    line("requests of a screen", f"{FIRST_VISIT}", "list, results, health", f"{number}", FIRST_VISIT / number)

    calls = {"one": lambda: screen.results(next(ids)), "warm": screen.overview}
    times = times_of(calls, ROUNDS, lambda: None)
    for name, place in (("elapsed, p50", 0), ("elapsed, p99", 1), ("CPU, p50", 2), ("CPU, p99", 3)):
        theirs, ours = times["one"][place], times["warm"][place]
        line(f"warm, {name}", milliseconds(ours), "results of one", milliseconds(theirs), ours / theirs)
    times |= times_of({"counted": screen.overview, "apart": screen.one_by_one}, 3, screen.count)
    for name, place in (("elapsed", 0), ("CPU", 2)):
        theirs = times["apart"][place]
        for title, key in (("warm", "warm"), ("after a count", "counted")):
            ours = times[key][place]
            line(f"{title}, {name}", milliseconds(ours), f"{number} requests", milliseconds(theirs), ours / theirs)
    print(f"  {size:,} bytes in gzip; the first allocates {peak:,.0f} KB and keeps {kept:,.0f} KB")
    print(f"  peak memory {peak_megabytes():.0f} MB")


def main() -> None:
    logging.disable(logging.INFO)  # the journal's lines are not what is measured here
    print(f"GET /analytics/overview of {EXPERIMENTS} running experiments, on a local engine")
    with local_engine() as (clients, endpoint):
        measure(Screen(clients, endpoint))


if __name__ == "__main__":
    main()
