"""A worker's process: reads a line for each message, does its unit of work, and answers with what that took.

`python -m benchmarks.scale.worker FOLDER`.
"""

import json
import os
import sys
import time
from dataclasses import fields
from pathlib import Path
from typing import Any

from abtest.services.ledger_feed import LedgerFeed
from abtest.services.rollups import CountWorker, Refresh, ShopRun, unit_run
from abtest.services.rollups.messages import read_message
from benchmarks.scale.counters import Counters
from benchmarks.scale.meters import Fate
from benchmarks.scale.shops import number_of
from benchmarks.scale.world import Place
from tests.support.memory import MemoryQueue
from tests.support.memory.metrics import MemoryMetrics


class Worker:
    """The real use case on the shared folder."""

    def __init__(self, folder: Path) -> None:
        self.place = Place.of(folder)
        self._feed = LedgerFeed(self.place.ledger, self.place.clock)
        self._counters = Counters(self.place.ledger, self._feed, self.place.clock)

    def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        """Do the unit. With `fresh` as a process does whose folder is empty."""
        place = self.place
        place.go_to(request["now"])
        for own in fields(Fate):
            if own.name in request.get("fate", {}):
                setattr(place.fate, own.name, request["fate"][own.name])
        place.fate.calls.clear()
        # Records are made here, which a table of a cloud has done before; read they are within the unit.
        place.catalog.of(number_of(read_message(request["body"]).shop_id))
        if request["fresh"]:
            self._feed = LedgerFeed(place.ledger, place.clock)
            self._counters = Counters(place.ledger, self._feed, place.clock)
        queue, decisions, metrics = MemoryQueue(), MemoryQueue(), MemoryMetrics()
        counter = self._counters.shops(queue, request["most_rows"])
        run = ShopRun(world=place.world, counter=counter, store=place.store, leases=place.leases, metrics=metrics)
        refresh = Refresh(world=place.world, feed=self._feed, run=run)
        units = unit_run(run, self._counters.units, place.ledger, queue)
        worker = CountWorker(run=run, units=units, refresh=refresh, queue=queue, decisions=decisions)
        place.spent.clear()
        wall, cpu = time.perf_counter(), time.process_time()
        is_done = worker.handle(request["body"])
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        place.spent["decide_messages"] += len(decisions.bodies)
        return {
            "body": request["body"],
            "done": is_done,
            "cpu": cpu,
            "wall": wall,
            "spent": dict(place.spent),
            "metrics": dict(metrics.sums),
            "again": queue.bodies,
            "decisions": decisions.bodies,
        }


def main() -> None:
    """Serve until the input ends. Nothing else may write where the answers go."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    worker = Worker(Path(sys.argv[1]))
    print(json.dumps({"ready": True}), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(worker.handle(json.loads(line))), file=answers, flush=True)


if __name__ == "__main__":
    main()
