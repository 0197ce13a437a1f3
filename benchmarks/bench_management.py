"""A warm management read beside a bare FastAPI + Mangum handler that makes the same DynamoDB read.

Both run in this process against one local engine. Ours authenticates the key, takes a token of its rate limit (one more
write to the table), validates the answer against its model and sets all headers; the baseline reads the same item and
returns it.
"""

import gzip
import json
import os
import time
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from mangum import Mangum

from benchmarks.bench_edge import Context
from benchmarks.harness import compare, line, milliseconds, peak_megabytes
from benchmarks.local_engine import local_engine
from benchmarks.world import gateway_event
from tests.support.template import Stack
from tools.local.provision.clients import Clients


def our_handler(environment: dict[str, str]) -> Any:
    """The handler of the experiments family as Lambda would load it."""
    os.environ.update(environment)
    # The journal is written as in the cloud, but not into the benchmark's own table.
    with redirect_stdout(Path(os.devnull).open("w")):
        from api_experiments.app import handler

    return handler


def bare_handler(clients: Clients, table: str) -> Any:
    """FastAPI + Mangum and one consistent read, nothing else."""
    app = FastAPI(openapi_url=None)
    reads = clients.dynamodb

    @app.get("/api/v1/experiments/{experiment_id}")
    def read(experiment_id: str, shop_id: str) -> dict[str, Any]:
        item = reads.get_item(
            TableName=table,
            Key={"pk": {"S": f"X#EXP#{shop_id}#{experiment_id}"}, "sk": {"S": "BODY"}},
            ConsistentRead=True,
        )["Item"]
        return {"id": experiment_id, "document": json.loads(gzip.decompress(item["body"]["B"]))}

    return Mangum(app, lifespan="off")


def measure(clients: Clients, endpoint: str) -> None:
    """Create a shop, a key and an experiment through the product, then time both handlers on it."""
    stack = Stack.planned(endpoint=endpoint)
    stack.create(clients)
    ours = our_handler(stack.environment("ApiExperiments"))
    from abtest.services.shops import Shops
    from abtest.wiring.api import management

    base = management()
    wish = {"name": "Shop", "domain": "shop.example", "currency": "EUR"}
    shop, key = Shops(base.world, base.publication).found(base.world.new_id(), wish)
    headers = {"authorization": f"Bearer {key.text}", "content-type": "application/json"}
    created = ours(
        gateway_event("POST", "/api/v1/experiments", headers=headers, body='{"name": "Benchmark"}'), Context()
    )
    assert created["statusCode"] == 201, created
    experiment_id = json.loads(created["body"])["id"]
    path = f"/api/v1/experiments/{experiment_id}"
    event = gateway_event("GET", path, headers=headers)
    bare = bare_handler(clients, stack.name("CatalogTable"))
    bare_event = gateway_event("GET", path, query={"shop_id": shop.id})
    for handler, sample in ((ours, event), (bare, bare_event)):
        answer = handler(sample, Context())
        assert answer["statusCode"] == 200, answer
    print("GET /experiments/{id}, warm, DynamoDB on a local engine (aim: 1.4 x the bare handler or less)")
    for claim, clock in (("one request, elapsed", time.perf_counter), ("one request, CPU", time.process_time)):
        found = compare(lambda: ours(event, Context()), lambda: bare(bare_event, Context()), repeat=15, clock=clock)
        assert ours(event, Context())["statusCode"] == 200, "the rate limit of 600 a minute was not reached"
        line(
            claim,
            milliseconds(found.ours),
            "bare FastAPI + Mangum, same read",
            milliseconds(found.baseline),
            found.ratio,
        )
    print(f"  peak memory {peak_megabytes():.0f} MB")


def main() -> None:
    with local_engine() as (clients, endpoint):
        measure(clients, endpoint)


if __name__ == "__main__":
    main()
