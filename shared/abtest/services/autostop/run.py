"""The round of auto-stop: every running experiment is looked at when its counts are new, and decided upon."""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from abtest.domain.autostop.evidence import Evidence
from abtest.domain.autostop.looks import is_new, look_at
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.shapes import Look, LookState
from abtest.domain.autostop.verdicts import Evaluated, Verdict, Waiting, Winner
from abtest.domain.experiments.model import Experiment
from abtest.ports.limits import Leases
from abtest.ports.looks import LookStore
from abtest.ports.metrics import Metrics
from abtest.services.autostop.decision import decide
from abtest.services.autostop.evidence import evidence_of
from abtest.services.autostop.execution import DecisionExecution
from abtest.services.autostop.looks import LookRun
from abtest.services.experiments.rounds import Round, Rounds
from abtest.services.experiments.store import ExperimentStore
from abtest.services.results.shop_rules import Coverage, ShopRules
from abtest.services.results.snapshots import RollupReader

TASK = "autostop"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoStopRun:
    """The use case behind the schedule. Safe to run twice at once, and to die at any line.

    A look is stored after the one that was read, or not at all; the decision follows from what is stored, so a run that
    finds a look without its consequence draws it.
    """

    store: ExperimentStore
    reader: RollupReader
    looks: LookStore
    leases: Leases
    metrics: Metrics

    def run(self, *, until: datetime) -> Round:
        """One round; no experiment is begun after `until`. Raises RoundFailedError after trying everything.

        Results and metrics tell of what runs; of what does not, `failed` alone.
        """
        coverage = Coverage(self.store.world, self.reader.store)
        rounds = Rounds(world=self.store.world, leases=self.leases, task=TASK)
        done = rounds.run(lambda experiment: self._turn(experiment, coverage), until=until)
        # After those that wait for a decision: what is left of the time is enough for looks.
        keeping = LookRun(world=self.store.world, reader=self.reader, looks=self.looks)
        done.failed += keeping.run(rounds, until=until).failed
        self.metrics.put(
            {
                "ExperimentsPaused": done.results["paused"],
                "ExperimentsNotDecided": len(done.failed),
                "ExperimentsLeft": done.left,
            }
        )
        return done.or_fail()

    def _turn(self, experiment: Experiment, coverage: Coverage) -> str:
        rules = ShopRules(self.store.world.catalog, experiment.shop_id)
        settings = rules.auto_stop(experiment)
        evidence = evidence_of(self.reader, rules, experiment)
        if evidence is None:
            return _told(experiment, settings, None, Waiting("not_counted_yet"))
        is_covered = not _asks_for_money(settings, evidence) or not coverage.of(experiment, rules).mixed_populations
        state, verdict = self._looked(experiment, evidence, settings, is_covered)
        if state is None:
            return "overtaken"
        return self._carried_out(experiment, evidence, settings, verdict)

    def _looked(
        self, experiment: Experiment, evidence: Evidence, settings: AutoStop, is_covered: bool
    ) -> tuple[LookState | None, Verdict]:
        """The state that stands for this generation, and what it comes to; no state when somebody was faster."""
        world = self.store.world
        state = self.looks.state(experiment.id, evidence.measurement_epoch)
        look: Look | None = None
        if is_new(state, evidence):
            state, look = look_at(state, evidence, world.now())
        if state is None or state["generation"] != evidence.generation:
            return None, Waiting("not_counted_yet")
        verdict = decide(experiment, state, evidence, settings, now=world.clock.now(), is_covered=is_covered)
        if look is not None and not self.looks.put(state, {**look, "verdict": _verdict(settings, verdict)}):
            return None, verdict
        return state, verdict

    def _carried_out(self, experiment: Experiment, evidence: Evidence, settings: AutoStop, verdict: Verdict) -> str:
        if isinstance(verdict, Waiting):
            return _told(experiment, settings, evidence, verdict)
        carrying_out = DecisionExecution(self.store)
        if isinstance(verdict, Winner):
            done = carrying_out.winner(experiment, evidence, verdict)
        else:
            done = carrying_out.evaluated(experiment, evidence, verdict)
        if done == "resumed_by_people":
            return _told(experiment, settings, evidence, Waiting("resumed_by_people"))
        _log.info("autostop.decided", extra={**_facts(experiment, settings, evidence), "result": done})
        return done


def _asks_for_money(settings: AutoStop, evidence: Evidence) -> bool:
    return settings.mode != "off" and any(measure.is_money for measure in evidence.measures.values())


def _told(experiment: Experiment, settings: AutoStop, evidence: Evidence | None, waiting: Waiting) -> str:
    """Say in the log why nothing was done, and give the reason."""
    if waiting.reason != "off":
        facts = {**_facts(experiment, settings, evidence), "reason": waiting.reason, "said": waiting.message}
        _log.info("autostop.waits", extra=facts)
    return waiting.reason


def _facts(experiment: Experiment, settings: AutoStop, evidence: Evidence | None) -> dict[str, Any]:
    return {
        "shop_id": experiment.shop_id,
        "experiment_id": experiment.id,
        "mode": settings.mode,
        "measurement_epoch": experiment.measurement_epoch,
        "generation": evidence.generation if evidence else None,
    }


def _verdict(settings: AutoStop, verdict: Verdict) -> dict[str, Any]:
    """What the look says came of it."""
    if isinstance(verdict, Waiting):
        return {"mode": settings.mode, "outcome": "waiting", "reason": verdict.reason}
    if isinstance(verdict, Evaluated):
        return {"mode": settings.mode, "outcome": verdict.outcome, "reason": verdict.blocked}
    return {"mode": settings.mode, "outcome": "winner", "reason": None}
