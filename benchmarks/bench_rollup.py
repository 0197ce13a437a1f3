"""The roll-up's run as history grows 1, 2, 4, 8 times with the same new data, next to a count from scratch.

A shop at a steady rate: more history is more days. Each run brings 5,000 new rows, 5 % of them repetitions,
20 % of them of visitors who were there before. Medians of rounds, by the clock and in CPU time of all threads: on a
machine with other work only the latter is meaningful. ARGS: --rows N (the smallest history), --rounds N.
"""

import gzip
import json
import os
import random
import resource
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import md5
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import duckdb

from abtest.adapters.warehouse.duckdb_ledger import DuckDbWarehouse
from abtest.adapters.warehouse.incremental_counter import IncrementalCounter
from abtest.domain.ledger.columns import COLUMNS
from abtest.domain.ledger.compacted_hours import CompactedHour
from abtest.domain.ledger.daily_counts import DailyCounts
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.objects import EventsFile, compacted_key, raw_key
from abtest.domain.ledger.plans import CountingPlan, GoalPlan
from abtest.kit import canonical_json
from abtest.kit.clock import ManualClock, from_milliseconds, to_milliseconds
from abtest.ports.warehouse import ShopPlans
from abtest.services.ledger_files import LedgerFiles
from tests.support.memory import MemoryBlobs

SHOP, EXPERIMENT = "shop-a", "experiment-a"
VARIATIONS = ("control", "blue")
NOW = to_milliseconds(datetime(2026, 11, 20, 12, tzinfo=UTC))
DAILY = 62_500
NEW_ROWS = 5_000
FACTORS = (1, 2, 4, 8)
WARMING = 2
"""Runs that are not measured: the first writes the whole day, and fills caches."""

# Ten rows a visitor: an exposure, six page views, two clicks, and every fourth visitor's order.
DAY = """
SELECT 'e-' || row AS event_id, $shop AS shop_id,
    CASE row % 10 WHEN 0 THEN 'experiment_viewed' WHEN 3 THEN 'goal' WHEN 5 THEN 'goal'
        WHEN 9 THEN CASE WHEN row // 10 % 4 = 0 THEN 'order' ELSE 'pageview' END ELSE 'pageview' END AS type,
    'v-' || md5((row // 10)::VARCHAR) AS visitor_id, NULL::VARCHAR AS session_id,
    $starts + row % $daily * 86400000 // $daily AS ts, ts AS received_at, NULL::BIGINT AS sent_at,
    CASE WHEN row % 10 = 0 THEN $experiment END AS experiment_id,
    CASE WHEN row % 10 = 0 THEN ['control', 'blue'][row // 10 % 2 + 1] END AS variation_id,
    CASE WHEN row % 10 = 0 THEN 1 END::BIGINT AS assignment_epoch,
    CASE WHEN row % 10 IN (3, 5) THEN 'click' END AS goal_id, NULL::VARCHAR AS event_name,
    CASE WHEN type = 'order' THEN 'o-' || row END AS order_id,
    CASE WHEN type = 'order' THEN row % 9000 + 100 END::BIGINT AS revenue_minor,
    CASE WHEN type = 'order' THEN 'EUR' END AS currency,
    NULL::BIGINT AS shop_revenue_minor, NULL::VARCHAR AS shop_currency, NULL::VARCHAR AS cohort,
    NULL::BIGINT AS holdout_config_epoch, ['desktop', 'mobile'][row // 10 % 2 + 1] AS device,
    ['DE', 'FR', 'US', 'GB'][row // 10 % 4 + 1] AS country, 'new' AS visitor_kind, 'search' AS source,
    'browser' AS sender,
    'https://shop.example/p/' || row % 1000 AS url, false AS qa_mode,
    CASE WHEN type = 'order' THEN '{"items":[]}' ELSE '{}' END AS data, row % 16 AS bucket
FROM range($first, $first + $daily) AS made (row)"""


def plan() -> CountingPlan:
    """A click and a revenue goal, since the beginning of the history."""
    window = 30 * DAY_MS
    click = GoalPlan(goal_id="click", type="click", event_name=None, count_once=True, window_ms=window, filter=None)
    revenue = GoalPlan(
        goal_id="money", type="revenue", event_name=None, count_once=False, window_ms=window, filter=None
    )
    return CountingPlan(
        experiment_id=EXPERIMENT,
        shop_id=SHOP,
        assignment_epoch=1,
        measurement_epoch=1,
        begins_at=NOW - 400 * DAY_MS,
        currency="EUR",
        variation_ids=VARIATIONS,
        goals=(click, revenue),
    )


def history(rows: int, folder: Path) -> MemoryBlobs:
    """A ledger whose days before today are compacted, one file each."""
    ledger = MemoryBlobs()
    path = folder / "day.parquet"
    with duckdb.connect() as database:
        for number in range(rows // DAILY):
            starts = NOW - NOW % DAY_MS - (number + 1) * DAY_MS
            bounds = {"shop": SHOP, "experiment": EXPERIMENT, "starts": starts, "first": number * DAILY, "daily": DAILY}
            database.execute(f"CREATE OR REPLACE TABLE day AS {DAY}", bounds)
            database.execute(
                f"COPY (FROM day ORDER BY bucket, visitor_id) TO '{path}' (FORMAT parquet, COMPRESSION zstd)"
            )
            key = EventsFile(shop_id=SHOP, hour=starts, first=0, last=15, digest=f"{number:064}").key
            ledger.put(key, path.read_bytes(), content_type="application/vnd.apache.parquet")
            hour = CompactedHour(raw=frozenset(), events=(key,), rows=DAILY)
            ledger.put(compacted_key(starts), hour.encoded(), content_type="application/json")
    return ledger


def deliver(ledger: MemoryBlobs, turn: int, now: int, older: list[dict[str, Any]]) -> None:
    """New rows in one raw object; `older` are those delivered before, and after it these as well."""
    chance = random.Random(turn)
    lines = [_row(chance, turn, number, now) for number in range(NEW_ROWS)]
    for index in chance.sample(range(NEW_ROWS), NEW_ROWS // 20 if older else 0):
        lines[index] = {**chance.choice(older), "received_at": now}
    older += lines
    content = gzip.compress(b"\n".join(map(canonical_json.encode, lines)), 1)
    ledger.put(raw_key([f"turn-{turn}"], now), content, content_type="application/x-ndjson")


def _row(chance: random.Random, turn: int, number: int, now: int) -> dict[str, Any]:
    """One of ten rows of a visitor; every fifth visitor was there in the last eight days."""
    visitor, old = f"new-{turn}-{number // 10}", chance.randrange(8 * DAILY // 10)
    if chance.random() < 0.2:
        visitor = f"v-{md5(str(old).encode(), usedforsecurity=False).hexdigest()}"
    kinds: dict[int, dict[str, Any]] = {
        0: {"type": "experiment_viewed", "experiment_id": EXPERIMENT, "variation_id": VARIATIONS[old % 2]},
        3: {"type": "goal", "goal_id": "click"},
        9: {"type": "order", "order_id": f"n-{turn}-{number}", "revenue_minor": 500, "currency": "EUR"},
    }
    fields = {"event_id": f"n-{turn}-{number}", "shop_id": SHOP, "visitor_id": visitor, "url": "https://shop.example/"}
    times = {"ts": now - 1000, "received_at": now - 500}
    of_kind = kinds.get(number % 10, {"type": "pageview"})
    return {**dict.fromkeys(COLUMNS), **fields, **times, "qa_mode": False, "data": "{}", **of_kind}


class Spent(NamedTuple):
    """Seconds by the clock, and of this process's work: others on the machine lengthen the first above all."""

    wall: float
    cpu: float


@contextmanager
def spending(into: list[Spent]) -> Iterator[None]:
    """Note what the block takes."""
    wall, cpu = time.perf_counter(), time.process_time()
    yield
    into.append(Spent(time.perf_counter() - wall, time.process_time() - cpu))


def middle(spent: list[Spent]) -> Spent:
    """The median of each."""
    return Spent(*map(median, zip(*spent, strict=True)))


def built(ledger: MemoryBlobs, clock: ManualClock, days_until: int) -> Spent:
    """A new process's first run; `days_until` as in ShopPlans."""
    spent: list[Spent] = []
    with spending(spent):
        list(IncrementalCounter(ledger, clock).refresh([plans_until(days_until)]))
    return spent[0]


def plans_until(days_until: int) -> ShopPlans:
    """Return the plans of each run."""
    return ShopPlans(shop_id=SHOP, currency="EUR", plans=[plan()], days_until=days_until)


def measure(rows: int, rounds: int) -> dict[str, Any]:
    """Measure building, each warm run, and a count from scratch, each as Spent; peak memory in MB."""
    with TemporaryDirectory(prefix="bench-rollup-") as name:
        ledger = history(rows, Path(name))
        clock = ManualClock(from_milliseconds(NOW))
        first, rebuilt = built(ledger, clock, 0), built(ledger, clock, NOW - 5 * 60 * 1000)
        counter, runs, scratch = IncrementalCounter(ledger, clock), list[Spent](), list[Spent]()
        list(counter.refresh([plans_until(NOW)]))
        older: list[dict[str, Any]] = []
        for turn in range(rounds + WARMING):
            clock.advance(minutes=5)
            deliver(ledger, turn, to_milliseconds(clock.now()), older)
            with spending(runs):
                (counted,) = counter.refresh([plans_until(NOW)])
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        with spending(scratch):
            files = LedgerFiles(ledger).of_shop(SHOP, 0)
            with DuckDbWarehouse(ledger).open(SHOP, files, since=0) as opened:
                whole = DailyCounts.of(opened.count(plan()))
                day = opened.day(max(counted.days), "EUR")
    if whole.whole() != counted.counts[EXPERIMENT].whole() or day != counted.days[day.date]:
        sys.exit("the run's answer is not that of a count from scratch")
    run = middle(runs[WARMING:])
    return {"rows": rows, "first": first, "rebuilt": rebuilt, "run": run, "scratch": scratch[0], "peak": peak}


def main() -> None:
    """Each size in a process of its own, in turn."""
    parser = ArgumentParser()
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--one", type=int)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.one, options.rounds)))
        return
    print("seconds, and of them CPU      first process ever  new process    warm run       ratio        from scratch")
    smallest: Spent | None = None
    for factor in FACTORS:
        command = [sys.executable, __file__, "--one", str(options.rows * factor), "--rounds", str(options.rounds)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=dict(os.environ))
        result = json.loads(done.stdout.splitlines()[-1])
        first, rebuilt, run, scratch = (Spent(*result[name]) for name in ("first", "rebuilt", "run", "scratch"))
        smallest = smallest or run
        print(
            f"{result['rows']:>10,} rows {result['peak']:>5.0f} MB    {first.wall:>8.1f} {first.cpu:>6.1f}"
            f"   {rebuilt.wall:>8.1f} {rebuilt.cpu:>6.1f}   {run.wall:>6.3f} {run.cpu:>6.3f}"
            f"   {run.wall / smallest.wall:>4.2f} {run.cpu / smallest.cpu:>4.2f}"
            f"   {scratch.wall:>6.2f} {scratch.cpu:>6.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
