"""The dispatcher, its queue, and worker processes that take one message after another."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from abtest.domain.ledger.partitions import MOST_ROWS
from abtest.services.ledger_feed import LedgerFeed
from abtest.services.rollups import Backlogs, Dispatch, Dispatched, ShopReaches
from abtest.services.rollups.messages import UnitMessage, read_message
from benchmarks.scale.shops import number_of
from benchmarks.scale.world import Place
from tests.support.memory import MemoryQueue
from tests.support.memory.metrics import MemoryMetrics

PROCESSES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One message's work: the shop's number, seconds of processors and by the clock, and what was called."""

    shop: int
    cpu: float
    wall: float
    rows: int = 0
    written: int = 0
    failed: int = 0
    spent: Mapping[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class Work:
    """Units that were done, and messages whose worker was killed."""

    units: list[Unit] = field(default_factory=list)
    killed: list[str] = field(default_factory=list)
    decisions: list[str] = field(default_factory=list)

    @property
    def cpu(self) -> float:
        """Seconds of processors, added up."""
        return sum(unit.cpu for unit in self.units)

    def spent(self) -> Counter[str]:
        """Calls, bytes and units, added up."""
        added: Counter[str] = Counter()
        for unit in self.units:
            added.update(unit.spent)
        return added


class _Process:
    """A worker's process, started again when it was killed."""

    def __init__(self, place: Place) -> None:
        self._command = [sys.executable, "-m", "benchmarks.scale.worker", str(place.folder)]
        self._process: subprocess.Popen[str] | None = None

    def call(self, request: dict[str, Any], kill_after: float | None) -> dict[str, Any] | None:
        """Return the answer; None when the process died."""
        process = self._running()
        assert process.stdin
        assert process.stdout
        timer = threading.Timer(kill_after, process.send_signal, [signal.SIGKILL]) if kill_after is not None else None
        print(json.dumps(request), file=process.stdin, flush=True)
        if timer:
            timer.start()
        line = process.stdout.readline()
        if timer:
            timer.cancel()
        if not line:
            self.stop()
            return None
        answer: dict[str, Any] = json.loads(line)
        return answer

    def stop(self) -> None:
        """End the process."""
        if self._process:
            self._process.kill()
            self._process.communicate()
        self._process = None

    def _running(self) -> subprocess.Popen[str]:
        if self._process is None or self._process.poll() is not None:
            # It finds what this process finds, however that was started.
            environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
            )
            assert self._process.stdout
            self._process.stdout.readline()
        return self._process


class Fleet:
    """Schedule and workers. Time is that of the place's clock, and does not move while work is done."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.queue = MemoryQueue()
        self.metrics = MemoryMetrics()
        self._dispatch = Dispatch(
            world=place.world,
            feed=LedgerFeed(place.ledger, place.clock),
            backlogs=Backlogs(place.ledger),
            store=place.store,
            queue=self.queue,
            reaches=ShopReaches(place.store, place.ledger),
            leases=place.leases,
            metrics=self.metrics,
        )
        self._processes = [_Process(place) for _ in range(PROCESSES)]
        self.dispatch_cpu = self.dispatch_wall = 0.0
        self.dispatch_spent: Counter[str] = Counter()

    def __enter__(self) -> "Fleet":
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._processes:
            process.stop()

    def dispatch(self, *, everything: bool = False) -> Dispatched:
        """Run the dispatcher once; `dispatch_cpu` is what it took."""
        self.place.spent.clear()
        wall, cpu = time.perf_counter(), time.process_time()
        done = self._dispatch.run(everything=everything)
        self.dispatch_wall, self.dispatch_cpu = time.perf_counter() - wall, time.process_time() - cpu
        self.dispatch_spent = Counter(self.place.spent)
        assert done is not None
        return done

    def work(
        self,
        *,
        fresh: bool = True,
        fates: Iterable[Mapping[str, Any]] = (),
        kills: Iterable[float] = (),
        most_rows: int = MOST_ROWS,
    ) -> Work:
        """Let the workers take all messages, and those that they send. Shops with more than `most_rows` are divided.

        `fates` and `kills` (seconds until a kill) are each for one of the first messages.
        """
        work, lock = Work(), threading.Lock()
        waiting = deque(self.queue.bodies)
        self.queue.sent.clear()
        strokes: deque[dict[str, Any]] = deque({"fate": fate} for fate in fates)
        strokes.extend({"kill_after": seconds} for seconds in kills)

        def take(process: _Process) -> None:
            while True:
                with lock:
                    if not waiting:
                        return
                    body = waiting.popleft()
                    stroke = strokes.popleft() if strokes and _fits(strokes[0], body) else {}
                request: dict[str, Any] = {
                    "now": self.place.now(),
                    "body": body,
                    "fresh": fresh,
                    "most_rows": most_rows,
                    "fate": stroke.get("fate", _NONE),
                }
                answer = process.call(request, stroke.get("kill_after"))
                with lock:
                    if answer is None:
                        work.killed.append(body)
                        continue
                    waiting.extend(answer["again"])
                    work.decisions.extend(answer["decisions"])
                    work.units.append(_unit(answer))

        with ThreadPoolExecutor(PROCESSES) as pool:
            for future in [pool.submit(take, process) for process in self._processes]:
                future.result()
        return work


def _fits(stroke: Mapping[str, Any], body: str) -> bool:
    """Return whether a message's worker comes to the write at which it is to be killed."""
    is_unit = isinstance(read_message(body), UnitMessage)
    of: str = stroke.get("fate", _NONE)["of"]
    return is_unit == (of == "outcomes")


_NONE: Mapping[str, Any] = {"of": "", "at": 0, "after": False}


def _unit(answer: Mapping[str, Any]) -> Unit:
    metrics = answer["metrics"]
    return Unit(
        shop=number_of(read_message(answer["body"]).shop_id),
        cpu=answer["cpu"],
        wall=answer["wall"],
        rows=int(metrics.get("RowsTaken", 0)),
        written=int(metrics.get("ExperimentsCounted", 0)),
        failed=int(metrics.get("ExperimentsNotCounted", 0)),
        spent=answer["spent"],
    )
