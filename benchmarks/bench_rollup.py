"""The roll-up's run as history grows 1, 2, 4, 8 times with the same new data, next to a count from scratch.

A shop at a steady rate: more history is more days. Each run brings 5,000 new rows, 5 % of them repetitions,
20 % of them of visitors who were there before. Medians of rounds, by the clock and in CPU time of all threads: on a
machine with other work only the latter is meaningful. "another process" fetches the stored state and counts the
same new rows. ARGS: --rows N (the smallest history), --rounds N.
"""

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
from abtest.adapters.warehouse.shop_counter import DuckDbShopCounter
from abtest.adapters.warehouse.shop_state import STATES
from abtest.domain.ledger.columns import COLUMNS
from abtest.domain.ledger.compacted_hours import CompactedHour
from abtest.domain.ledger.daily_counts import DailyCounts
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.manifests import manifest_key, sectioned
from abtest.domain.ledger.objects import EventsFile, compacted_key, raw_key
from abtest.domain.ledger.plans import CountingPlan, GoalPlan
from abtest.kit.clock import ManualClock, from_milliseconds, to_milliseconds
from abtest.ports.blobs import Blob
from abtest.ports.rollup_store import StoredState
from abtest.ports.warehouse import ShopCounted, ShopPlans
from abtest.services.ledger_feed import LedgerFeed
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


def deliver(ledger: MemoryBlobs, turn: int, now: int, older: list[Any]) -> None:
    """New rows in one raw object; `older` are those delivered before, and after it these as well."""
    chance = random.Random(turn)
    lines: list[Any] = [_row(chance, turn, number, now) for number in range(NEW_ROWS)]
    for index in chance.sample(range(NEW_ROWS), NEW_ROWS // 20 if older else 0):
        lines[index] = {**chance.choice(older), "received_at": now}
    older += lines
    key = raw_key([f"turn-{turn}"], now)
    content, manifest = sectioned(key, lines)
    ledger.put(key, content, content_type="application/x-ndjson")
    ledger.put(manifest_key(key), manifest.encoded(), content_type="application/json")


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


class Process:
    """A process that counts the shop, up to the newest entry of the feed."""

    def __init__(self, ledger: MemoryBlobs, clock: ManualClock) -> None:
        self._feed = LedgerFeed(ledger, clock)
        self._counter = DuckDbShopCounter(ledger, clock, LedgerFeed(ledger, clock))

    def count(self, days_until: int, stored: StoredState | None, spent: list[Spent]) -> ShopCounted:
        """Count; `days_until` as in ShopPlans."""
        entry = self._feed.advance().entry
        head = entry.heads.get(SHOP, 0) if entry else 0
        shop = ShopPlans(shop_id=SHOP, currency="EUR", plans=[plan()], days_until=days_until)
        with spending(spent):
            return self._counter.count(shop, head=head, stored=stored)


class Metered(MemoryBlobs):
    """A bucket with the objects of another one; `fetched` counts the bytes of states that were read."""

    def __init__(self, ledger: MemoryBlobs) -> None:
        super().__init__()
        self.objects = ledger.objects
        self.fetched = 0

    def get(self, key: str) -> Blob | None:
        """Return the object."""
        blob = super().get(key)
        self.fetched += len(blob.content) if blob and key.startswith(STATES) else 0
        return blob


def measure(rows: int, rounds: int) -> dict[str, Any]:
    """Measure building, each warm run, a run from the state, and a count from scratch, each as Spent; memory in MB."""
    with TemporaryDirectory(prefix="bench-rollup-") as name:
        ledger = history(rows, Path(name))
        clock = ManualClock(from_milliseconds(NOW))
        older: list[Any] = []
        deliver(ledger, FACTORS[-1] * 1000, NOW, older)  # the feed begins with an object
        first, rebuilt, runs, fetched, scratch = (list[Spent]() for _ in range(5))
        Process(ledger, clock).count(0, None, first)
        process = Process(ledger, clock)
        counted = process.count(NOW - 5 * 60 * 1000, None, rebuilt)
        stored = counted.state
        for turn in range(rounds + WARMING):
            clock.advance(minutes=5)
            deliver(ledger, turn, to_milliseconds(clock.now()), older)
            before, counted = counted.state, process.count(NOW, stored, runs)
            if counted.state != before:
                runs.pop()  # it stored a state, which is measured by itself
            stored = counted.state
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        metered = Metered(ledger)
        other = Process(metered, clock).count(NOW, stored, fetched)
        with spending(scratch):
            files = LedgerFiles(ledger).of_shop(SHOP, 0)
            with DuckDbWarehouse(ledger).open(SHOP, files, since=0) as opened:
                whole = DailyCounts.of(opened.count(plan()))
                day = opened.day(max(counted.days), "EUR")
    for answer in (counted, other):
        if whole.whole() != answer.counts[EXPERIMENT].whole() or day != answer.days.get(day.date, day):
            sys.exit("the run's answer is not that of a count from scratch")
    times = {"first": first[0], "rebuilt": rebuilt[0], "fetched": fetched[0], "scratch": scratch[0]}
    return {"rows": rows, "run": middle(runs[WARMING:]), "peak": peak, "size": metered.fetched} | times


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
    print(
        "seconds, and of them CPU      first process ever  without state  another process       warm run       ratio"
        "        from scratch"
    )
    smallest: Spent | None = None
    for factor in FACTORS:
        command = [sys.executable, __file__, "--one", str(options.rows * factor), "--rounds", str(options.rounds)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, env=dict(os.environ))
        result = json.loads(done.stdout.splitlines()[-1])
        names = ("first", "rebuilt", "fetched", "run", "scratch")
        first, rebuilt, fetched, run, scratch = (Spent(*result[name]) for name in names)
        smallest = smallest or run
        print(
            f"{result['rows']:>10,} rows {result['peak']:>5.0f} MB    {first.wall:>8.1f} {first.cpu:>6.1f}"
            f"   {rebuilt.wall:>8.1f} {rebuilt.cpu:>6.1f}   {fetched.wall:>6.2f} {fetched.cpu:>6.2f} "
            f"{result['size'] / 1e6:>6.1f} MB   {run.wall:>6.3f} {run.cpu:>6.3f}"
            f"   {run.wall / smallest.wall:>4.2f} {run.cpu / smallest.cpu:>4.2f}"
            f"   {scratch.wall:>6.2f} {scratch.cpu:>6.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
