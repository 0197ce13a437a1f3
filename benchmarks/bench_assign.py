"""The assignment route with 100 experiments, beside a bare Powertools handler that returns the same bytes.

Our side authenticates, limits, reads, decides and renders; the publication is in the process, and limits, keys and
hand-offs are in memory here, so what is timed is our code. Half of the experiments run on some pages, a third for some
audience; every tenth runs on another page than the one asked about, and only attributes goals.
"""

import json
import time
from base64 import b64decode
from collections.abc import Callable
from typing import Any

from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.model import Goal
from abtest.edge.assign import AssignmentRoutes
from abtest.edge.assign_auth import AssignmentAuth
from abtest.edge.assign_configs import PreparedConfigs
from abtest.edge.ingest_auth import TrackingKeys
from abtest.edge.publications import Publications
from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Commit, Put
from abtest.services.assignment import Assignments, PublishedConfig
from abtest.services.assignment_handoff import Handoffs
from abtest.services.context import World
from abtest.services.experiments.records import EXPERIMENTS as STORED
from abtest.services.keys import mint
from abtest.services.rate_limits import FailedAuthentications
from benchmarks.bench_edge import Context, Unlimited, bare
from benchmarks.harness import compare, line, milliseconds, peak_megabytes
from benchmarks.world import ROOTS, gateway_event, publication_of, shop_in
from tests.support.keys import stored_keys
from tests.support.memory import MemoryBlobs, MemoryCatalog, MemorySessions

EXPERIMENTS = 100
REQUESTS = 3000
P99_AIM_SECONDS = 0.005


def experiment(world: World, shop_id: str, number: int) -> Experiment:
    """One of a busy shop's experiments."""
    experiment_id, now = world.new_id(), world.now()
    mutations: Any = tuple({"selector": f".teaser-{at}", "action": "text", "text": f"Text {at}"} for at in range(5))
    variations = tuple(
        Variation(
            id=world.new_id(),
            experiment_id=experiment_id,
            name=f"Variation {index}",
            weight=0.5,
            is_control=index == 0,
            mutations=mutations if index else (),
        )
        for index in range(2)
    )
    goal = Goal(
        id=world.new_id(),
        experiment_id=experiment_id,
        name="Buy",
        type="click",
        selector="#buy",
        created_at=now,
        updated_at=now,
    )
    return Experiment(
        id=experiment_id,
        shop_id=shop_id,
        name=f"Experiment {number}",
        status="running",
        started_at=now,
        version=1,
        created_at=now,
        updated_at=now,
        targeting=targeting(world, number) or None,
        variations=variations,
        goals=(goal,),
    )


def targeting(world: World, number: int) -> Any:
    """Pages for every other experiment, an audience for every third."""
    found: dict[str, Any] = {}
    if number % 2:
        pattern = "/cart" if number % 10 == 1 else "/products/*"
        rule = {"id": world.new_id(), "includeRules": [{"type": "simple", "pattern": pattern}], "excludeRules": []}
        found["pageRules"] = [rule]
    if number % 3 == 0:
        phones = {"attribute": "device", "operator": "in", "value": ["mobile", "tablet"]}
        found["segmentRules"] = [{"id": world.new_id(), "rules": {"operator": "and", "conditions": [phones]}}]
    return found


def routes() -> tuple[AssignmentRoutes, str]:
    """The routes before a published shop, and a key of it."""
    clock = SystemClock()
    world = World(catalog=MemoryCatalog(), clock=clock, random=SystemRandomness())
    blobs = MemoryBlobs()
    publication = publication_of(world, blobs)
    shop = shop_in(world, publication)
    kept = [STORED.record(experiment(world, shop.id, number)) for number in range(EXPERIMENTS)]
    for record in kept:
        world.catalog.commit(Commit(puts=[Put(record=record, expected_version=0)]))
    assert publication.publish(shop.id).ok
    minted = mint(world, kind="tracking_source", shop_id=shop.id, user_id=world.new_id(), name="Server", scopes=())
    world.catalog.commit(stored_keys(world.catalog, [minted.key], world.now()))
    keys = TrackingKeys(lambda name: world.catalog.claim_attributes(None, name), clock)
    limiter = Unlimited()
    handoffs = Handoffs(MemorySessions(), lambda: ROOTS, clock)
    assignments = Assignments(PreparedConfigs(Publications(blobs, clock), PublishedConfig.of).read, handoffs, clock)
    auth = AssignmentAuth(keys, FailedAuthentications(limiter, clock))
    return AssignmentRoutes(auth, assignments, limiter, clock), minted.text


def request(key: str, number: int, **more: Any) -> dict[str, Any]:
    """A server asks for one of its visitors."""
    asked = {
        "user_id": f"visitor-{number}",
        "url": f"https://shop.example/products/mug-{number % 50}?utm_source=newsletter",
        "attributes": {"device": "mobile" if number % 2 else "desktop", "country": "DE"},
        **more,
    }
    headers = {"authorization": f"Bearer {key}", "content-type": "application/json"}
    return gateway_event("POST", "/assign", headers=headers, body=json.dumps(asked))


def percentiles(handler: Any, events: list[dict[str, Any]], clock: Callable[[], float]) -> tuple[float, float]:
    """Median and 99th percentile of one call each, in seconds."""
    taken = []
    for event in events:
        started = clock()
        handler(event, Context())
        taken.append(clock() - started)
    taken.sort()
    return taken[len(taken) // 2], taken[len(taken) * 99 // 100]


def main() -> None:
    made, key = routes()
    events = [request(key, number) for number in range(REQUESTS)]
    answer = made.assign(events[0], Context())
    assert answer["statusCode"] == 200, answer
    body = b64decode(answer["body"])
    told = json.loads(body)["assignments"]
    plain = {"body": body.decode(), "headers": answer["headers"]}
    baseline = bare("/assign", plain, method="post")
    assert baseline(events[0], Context())["statusCode"] == 200
    print(f"POST /assign, warm, {EXPERIMENTS} experiments, {len(told)} told in {len(body):,} bytes")
    found = compare(lambda: made.assign(events[0], Context()), lambda: baseline(events[0], Context()), repeat=50)
    line(
        "one request",
        milliseconds(found.ours),
        "bare Powertools, same bytes",
        milliseconds(found.baseline),
        found.ratio,
    )
    carts = [request(key, number, cart_id=f"cart-{number}", request_handoff=True) for number in range(REQUESTS)]
    for name, asked in (("visitors", events), ("with a hand-off", carts)):
        percentiles(made.assign, asked[:200], time.perf_counter)
        # Processor time beside the wall's: what else runs on the machine makes only the latter longer.
        for kind, clock in (("CPU", time.process_time), ("wall", time.perf_counter)):
            p50, p99 = percentiles(made.assign, asked, clock)
            claim = f"{name}, {kind}: p50 {milliseconds(p50)}, p99"
            line(claim, milliseconds(p99), "the aim", milliseconds(P99_AIM_SECONDS), p99 / P99_AIM_SECONDS)
    print(f"  peak memory {peak_megabytes():.0f} MB")


if __name__ == "__main__":
    main()
