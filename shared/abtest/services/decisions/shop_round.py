"""Round over experiments of one shop: each has its turns under a lease, and a failure does not stop the others."""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from abtest.domain.experiments.model import Experiment
from abtest.ports.limits import Leases
from abtest.services.autostop.looks import look_without_decision
from abtest.services.autostop.run import AutoStop
from abtest.services.context import World
from abtest.services.decisions.chunk import Chunk, experiments_of, is_running
from abtest.services.decisions.listing import ids_of_shop
from abtest.services.decisions.messages import DecisionRequest, Task
from abtest.services.decisions.turns import AutoStopTurns, GuardianTurns, Turns
from abtest.services.guardian.run import Guardian
from abtest.services.leases import Lease, LeaseLostError, lease
from abtest.services.results.shop_rules import ShopRules

LEASE = "decide"
AT_ONCE = 50
"""Experiments that are read together, right before their turns."""

_log = logging.getLogger(__name__)


class Results(dict[str, int]):
    """How many came to each result; none to those that are not named."""

    def __missing__(self, _result: str) -> int:
        return 0


@dataclass(slots=True)
class Round:
    """Outcome of one task.

    `results`: running experiments by result. `looks`: `looked` and `seen` (looked at before) of what does not run.
    `failed`, `left` (no turn in time) and `busy` (another worker has it) are ids.
    """

    results: Results = field(default_factory=Results)
    looks: Results = field(default_factory=Results)
    failed: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    busy: list[str] = field(default_factory=list)


Rounds = dict[Task, Round]


@dataclass(frozen=True, slots=True)
class _Shop:
    """Rules, turns and outcomes that one message shares."""

    id: str
    rules: ShopRules
    turns: Mapping[Task, Turns]
    rounds: Rounds

    def failed(self, task: Task, record_id: str, error: Exception) -> None:
        """Record a failure of one experiment."""
        _log.error("%s.failed", task, extra={"shop_id": self.id, "experiment_id": record_id}, exc_info=error)
        self.rounds[task].failed.append(record_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopRound:
    """Turns of auto-stop and Guardian.

    Two workers at once are safe, and so is the death of one at any line: a turn follows from what is stored, each of
    its writes is conditional, and an experiment without news has none.
    """

    world: World
    leases: Leases
    auto_stop: AutoStop
    guardian: Guardian

    def run(self, request: DecisionRequest, *, until: datetime) -> Rounds:
        """Give the requested experiments their turns; none is begun after `until`."""
        catalog = self.world.catalog
        shop = self._shop(request)
        ids = request.experiment_ids or ids_of_shop(catalog, shop.id, request.tasks, self.world.now())
        for start in range(0, len(ids), AT_ONCE):
            part = ids[start : start + AT_ONCE]
            rollups, looks = self.auto_stop.reader.store, self.auto_stop.looks
            chunk = Chunk(catalog, rollups, looks, shop.id, part, is_checked="guardian" in shop.turns)
            for record_id in part:
                if self.world.clock.now() < until:
                    self._turns(shop, chunk, record_id)
                else:
                    for round_ in shop.rounds.values():
                        round_.left.append(record_id)
        return shop.rounds

    def _shop(self, request: DecisionRequest) -> _Shop:
        rules = ShopRules(self.world.catalog, request.shop_id)
        made: dict[Task, Callable[[], Turns]] = {
            "autostop": lambda: AutoStopTurns(self.auto_stop, self.auto_stop.shop(rules)),
            "guardian": lambda: GuardianTurns(self.guardian, self.guardian.sight(request.shop_id, rules)),
        }
        turns = {task: made[task]() for task in request.tasks}
        return _Shop(request.shop_id, rules, turns, {task: Round() for task in request.tasks})

    def _turns(self, shop: _Shop, chunk: Chunk, record_id: str) -> None:
        try:
            record = chunk.record(record_id)
            experiments = experiments_of(record) if record else ()
        except Exception as error:
            for task in shop.turns:
                shop.failed(task, record_id, error)
            return
        if record is not None and is_running(record):
            self._running(shop, chunk, experiments[0])
            return
        for task in shop.turns:
            # Listed as running a moment ago, or named by a message that came late.
            if record is None or task == "guardian":
                shop.rounds[task].results["not_running"] += 1
            else:
                self._looks(shop, chunk, record_id, experiments)

    def _running(self, shop: _Shop, chunk: Chunk, experiment: Experiment) -> None:
        due = [task for task in shop.turns if self._is_due(task, shop, chunk, experiment)]
        if not due:
            return
        # A new owner for each turn: a worker that outlived its lease must not give back the lease of its successor.
        name, owner = f"{LEASE}#{experiment.id}", self.world.new_id()
        with lease(self.leases, name, owner=owner, clock=self.world.clock) as held:
            is_paused = False
            for task in due:
                round_ = shop.rounds[task]
                if held is None:
                    round_.busy.append(experiment.id)
                elif is_paused:
                    round_.results["not_running"] += 1
                else:
                    is_paused = self._turn(task, shop, chunk, experiment, held) == "paused"

    def _is_due(self, task: Task, shop: _Shop, chunk: Chunk, experiment: Experiment) -> bool:
        """Return whether a turn is due; the result of one that is not is counted."""
        try:
            result = shop.turns[task].settled(chunk, experiment)
        except Exception as error:
            shop.failed(task, experiment.id, error)
            return False
        if result is not None:
            shop.rounds[task].results[result] += 1
        return result is None

    def _turn(self, task: Task, shop: _Shop, chunk: Chunk, experiment: Experiment, held: Lease) -> str | None:
        try:
            result = shop.turns[task].turn(chunk, experiment, held)
        except LeaseLostError:
            shop.rounds[task].busy.append(experiment.id)
        except Exception as error:
            shop.failed(task, experiment.id, error)
        else:
            shop.rounds[task].results[result] += 1
            return result
        return None

    def _looks(self, shop: _Shop, chunk: Chunk, record_id: str, experiments: Sequence[Experiment]) -> None:
        use, rules = self.auto_stop, shop.rules
        try:
            looked = [
                look_without_decision(use, rules, each, chunk.totals(each), chunk.looks(each)) for each in experiments
            ]
        except Exception as error:
            shop.failed("autostop", record_id, error)
        else:
            shop.rounds["autostop"].looks["looked" if any(looked) else "seen"] += 1
