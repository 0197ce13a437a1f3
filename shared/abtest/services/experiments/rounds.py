"""Rounds over all running experiments: each is handled under a lease, and a failure does not stop the round."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from abtest.domain.experiments.model import Experiment
from abtest.ports.catalog import DueEntry
from abtest.ports.limits import Leases
from abtest.services.context import World
from abtest.services.experiments.records import experiment_in
from abtest.services.leases import Lease, LeaseLostError, lease

QUEUE = "RUN"
MAX_ENTRIES = 100_000

_log = logging.getLogger(__name__)

Work = Callable[[Experiment, Lease], str]
"""Work on one running experiment under its lease, checked before writes; returns one word for its result."""


class RoundFailedError(Exception):
    """Some experiments failed; all others were handled."""

    def __init__(self, done: "Round") -> None:
        super().__init__(f"failed: {', '.join(done.failed[:20])}")
        self.round = done


class Results(dict[str, int]):
    """How many came to each result; none to those that are not named. (Of a Counter `asdict` makes nonsense.)"""

    def __missing__(self, _result: str) -> int:
        return 0


@dataclass(slots=True)
class Round:
    """Outcome of a round: experiments by result, ids of those that failed, how many had no turn in time."""

    results: Results = field(default_factory=Results)
    failed: list[str] = field(default_factory=list)
    left: int = 0

    def or_fail(self) -> "Round":
        """The round. Raises RoundFailedError when anything failed, so that an alarm hears of it."""
        if self.failed:
            raise RoundFailedError(self)
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """Rounds of one `task`, whose name is in its leases and in its lines of the log."""

    world: World
    leases: Leases
    task: str

    def run(self, work: Work, *, until: datetime) -> Round:
        """Give each running experiment its turn; none is begun after `until`.

        Another's turn at the same experiment and task is not waited for (`busy`). The round begins at a random
        entry: if time is short, it is not always the same experiments that have no turn.
        """
        # Read once: an experiment that starts during the round waits for the next one.
        entries = self.world.catalog.due(QUEUE, self.world.now(), limit=MAX_ENTRIES)
        return self.over(entries, lambda entry: self._turn(entry, work), until=until)

    def over(self, entries: Sequence[DueEntry], turn: Callable[[DueEntry], str], *, until: datetime) -> Round:
        """A round over whatever entries, without leases: what `turn` does has to bear that it is done twice."""
        start = self.world.random.bits(32) % len(entries) if entries else 0
        done = Round()
        for entry in (*entries[start:], *entries[:start]):
            if self.world.clock.now() >= until:
                done.left += 1
                continue
            try:
                done.results[turn(entry)] += 1
            except Exception:
                _log.exception("%s.failed", self.task, extra={"shop_id": entry.shop_id, "experiment_id": entry.id})
                done.failed.append(entry.id)
        if done.left:
            _log.warning("%s.out_of_time", self.task, extra={"left": done.left})
        return done

    def _turn(self, entry: DueEntry, work: Work) -> str:
        # A new owner for each turn: a worker that outlived its lease must not give back the lease of its successor.
        name, owner = f"{self.task}#{entry.id}", self.world.new_id()
        with lease(self.leases, name, owner=owner, clock=self.world.clock) as held:
            if held is None:
                return "busy"
            record = self.world.catalog.get(entry.shop_id, "EXP", entry.id)
            experiment = None if record is None else experiment_in(record)
            # The index is behind the records by a moment.
            if experiment is None or experiment.status != "running":
                return "not_running"
            try:
                return work(experiment, held)
            except LeaseLostError:
                return "busy"
