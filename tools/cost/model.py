"""From assumptions and prices to dollars: what a million events cost on their way, and what counting costs a day."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path

MILLION = 1_000_000
TERABYTE = 10**12
ATHENA_LEAST_BYTES = 10_000_000
"""What a query costs at least."""
QUERIES_A_SHOP = 4
"""One keeps the rows that count; then all plans are counted, the changed days are found, and counted."""
PLANS_A_QUERY = 25
DAYS_OF_ANALYTICS = 38
"""Days of a shop that a run may update, and the week before them."""
WORKERS = 20
"""Shops that are counted at once; each worker has one query at a time."""
MINUTES_A_DAY = 1440

Prices = Mapping[str, float]


def prices() -> Prices:
    """US dollars by name."""
    document = json.loads(Path(__file__).with_name("prices.json").read_text())
    return {name: price["usd"] for name, price in document["prices"].items()}


@dataclass(frozen=True)
class Assumptions:
    """Measurements: `raw_bytes`, `parquet_bytes` and `copy_bytes` on events of one generator, whose texts repeat,
    and `compaction_seconds` on a machine that others used, too. `cold_seconds_a_million` and `plan_seconds_a_million`
    are CPU time, by statement, on the ledger of `make bench-rollup`: what a new process takes to copy rows, and to
    count them for one plan. The numbers of reads follow from the SQL, for plans without filters. `bytes_a_read` and
    `kept_bytes` are of the ledger of benchmarks/results and of its kept rows by visitor. All else is assumed, times on
    AWS above all.
    """

    events_a_day: float = 1_000_000
    events_a_request: float = 10
    edge_ms: float = 15
    edge_gb: float = 1.0
    messages_an_object: float = 500
    worker_ms_a_message: float = 2
    worker_gb: float = 1.0
    raw_bytes: float = 111
    parquet_bytes: float = 46
    months_kept: float = 12
    compaction_seconds: float = 112
    warehouse_gb: float = 3.0
    shops: float = 20
    experiments: float = 5
    experiment_days: float = 28
    rollup_minutes: float = 5
    athena_minutes: float = 60
    query_seconds: float = 3
    bytes_a_read: float = 37
    kept_reads: float = 7
    touched_reads: float = 3
    day_reads: float = 10
    kept_bytes: float = 7
    objects_an_hour: float = 1
    gets_an_object: float = 2
    objects_kept: float = 10
    raw_hours: float = 1
    copy_bytes: float = 85
    copy_gigabytes: float = 7.0
    cold_seconds_a_million: float = 3.5
    plan_seconds_a_million: float = 1.5
    cold_seconds_at_most: float = 200

    @property
    def history(self) -> float:
        """Events of a shop since its experiments began, on the average of their lives."""
        return self.events_a_day / self.shops * self.experiment_days / 2


def way_of_a_million(given: Assumptions, price: Prices) -> dict[str, float]:
    """Dollars for a million events from the browser into Parquet, by step."""
    requests = MILLION / given.events_a_request
    objects = requests / given.messages_an_object
    gigabytes = MILLION * (given.raw_bytes + given.parquet_bytes) / 10**9
    edge = price["lambda_request"] + given.edge_ms / 1000 * given.edge_gb * price["lambda_gb_second"]
    worker = requests * given.worker_ms_a_message / 1000 * given.worker_gb * price["lambda_gb_second"]
    hours = MILLION / given.events_a_day * 24
    return {
        "HTTP API": requests * price["http_api_request"],
        "edge function": requests * edge,
        # Each message is sent alone; ten at a time are received and deleted.
        "queue": requests * 1.2 * price["sqs_request"],
        "ingest worker and raw objects": worker + objects * (price["s3_put"] + price["lambda_request"]),
        "compaction": given.compaction_seconds * given.warehouse_gb * price["lambda_gb_second"]
        + objects * price["s3_get"]
        + hours * (given.shops + 1) * price["s3_put"],
        f"storage, {given.months_kept:g} months": gigabytes * given.months_kept * price["s3_gb_month"],
    }


def athena_a_day(given: Assumptions, price: Prices, minutes: float | None = None) -> float:
    """Dollars a day for roll-ups by Athena: a run reads each shop's rows once, and what it keeps of them often."""
    runs = MINUTES_A_DAY / (minutes or given.athena_minutes)
    days = max(given.experiment_days, DAYS_OF_ANALYTICS)
    rows = given.events_a_day / given.shops * days
    # Raw objects hold all shops' rows, and every question about one shop reads them.
    raw = given.events_a_day / 24 * given.raw_hours * given.raw_bytes
    scanned = paid_bytes(rows * given.bytes_a_read + raw) + sum(
        times * paid_bytes(reads * rows * given.kept_bytes)
        for times, reads in ((_counts(given), given.kept_reads), (1, given.touched_reads), (1, given.day_reads))
    )
    reads = _counts(given) * given.kept_reads + given.touched_reads + given.day_reads
    gets = (days * 24 * given.objects_an_hour + reads * given.objects_kept) * given.gets_an_object
    requests = gets * price["s3_get"] + given.objects_kept * price["s3_put"]
    waiting = shop_seconds(given) * given.warehouse_gb * price["lambda_gb_second"]
    return runs * given.shops * (scanned / TERABYTE * price["athena_terabyte"] + requests + waiting)


def paid_bytes(scanned: float) -> float:
    """Return the bytes that a query is paid by."""
    return max(scanned, ATHENA_LEAST_BYTES)


def shop_seconds(given: Assumptions) -> float:
    """How long a worker waits for Athena to count one shop."""
    return (QUERIES_A_SHOP - 1 + _counts(given)) * given.query_seconds


def run_seconds(given: Assumptions) -> float:
    """How long all workers wait for Athena until every shop is counted once."""
    return ceil(given.shops / WORKERS) * shop_seconds(given)


def _counts(given: Assumptions) -> int:
    """Return how many queries count a shop's plans."""
    return ceil(given.experiments / PLANS_A_QUERY)


def most_history(given: Assumptions) -> float:
    """Events that one process of the embedded engine can hold, and can read again within one run."""
    held = given.copy_gigabytes * 10**9 / given.copy_bytes
    seconds = given.cold_seconds_a_million + given.experiments * given.plan_seconds_a_million
    return min(held, given.cold_seconds_at_most / seconds * MILLION)
