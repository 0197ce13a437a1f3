"""Round of auto-stop: a look at every running experiment with new counts, and a decision."""

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from abtest.domain.autostop.evidence import Evidence
from abtest.domain.autostop.looks import is_new, look_at
from abtest.domain.autostop.settings import AutoStop
from abtest.domain.autostop.shapes import Look
from abtest.domain.autostop.verdicts import Evaluated, GuardrailFinding, Harm, Verdict, Waiting, Winner
from abtest.domain.experiments.model import Experiment
from abtest.ports.limits import Leases
from abtest.ports.looks import LookStore
from abtest.ports.metrics import Metrics
from abtest.services.autostop.decision import decide
from abtest.services.autostop.evidence import evidence_of
from abtest.services.autostop.execution import DecisionExecution
from abtest.services.autostop.looks import LookRun
from abtest.services.autostop.planned import with_planned_looks
from abtest.services.experiments.rounds import Round, Rounds
from abtest.services.experiments.store import ExperimentStore
from abtest.services.leases import Lease
from abtest.services.results.shop_rules import Coverage, ShopRules
from abtest.services.results.snapshots import RollupReader

TASK = "autostop"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoStopRun:
    """Job of the schedule. Two runs at once are safe, and so is the death of one at any line.

    A look is stored after the one that was read, or not at all. The decision follows from the stored look, so the next
    run carries out what a dead run has left.
    """

    store: ExperimentStore
    reader: RollupReader
    looks: LookStore
    leases: Leases
    metrics: Metrics

    def run(self, *, until: datetime) -> Round:
        """Run one round; no experiment is begun after `until`. Raises RoundFailedError after trying all of them.

        Results and metrics are those of running experiments; of all others only failures count.
        """
        coverage = Coverage(self.store.world, self.reader.store)
        rounds = Rounds(world=self.store.world, leases=self.leases, task=TASK)
        done = rounds.run(lambda experiment, held: self._turn(experiment, coverage, held), until=until)
        # Decisions come first; looks without a decision take what time is left.
        other_looks = LookRun(world=self.store.world, reader=self.reader, looks=self.looks)
        done.failed += other_looks.run(rounds, until=until).failed
        self.metrics.put(
            {
                "ExperimentsPaused": done.results["paused"],
                "ExperimentsNotDecided": len(done.failed),
                "ExperimentsLeft": done.left,
            }
        )
        return done.or_fail()

    def _turn(self, experiment: Experiment, coverage: Coverage, held: Lease) -> str:
        rules = ShopRules(self.store.world.catalog, experiment.shop_id)
        settings = rules.auto_stop(experiment)
        evidence = evidence_of(self.reader, rules, experiment)
        if evidence is None:
            return log_waiting(experiment, settings, None, Waiting("not_counted_yet"))
        has_money = any(measure.is_money for measure in evidence.measures.values())
        # Coverage is read only for verdicts about money.
        is_covered = settings.mode == "off" or not has_money or not coverage.of(experiment, rules).mixed_populations
        held.check()
        verdict = self._look(experiment, evidence, settings, is_covered)
        if verdict is None:
            return "overtaken"
        if isinstance(verdict, Waiting):
            return log_waiting(experiment, settings, evidence, verdict)
        held.check()
        execution = DecisionExecution(self.store)
        if isinstance(verdict, Winner | Harm):
            done = execution.stopped(experiment, evidence, verdict)
        else:
            done = execution.evaluated(experiment, evidence, verdict)
        if done == "resumed_by_people":
            return log_waiting(experiment, settings, evidence, Waiting("resumed_by_people"))
        _log.info("autostop.decided", extra={**_facts(experiment, settings, evidence), "result": done})
        return done

    def _look(self, experiment: Experiment, evidence: Evidence, settings: AutoStop, is_covered: bool) -> Verdict | None:
        """Store a look at a new generation and return its verdict; None when another run was faster."""
        world = self.store.world
        state = self.looks.state(experiment.id, evidence.measurement_epoch)
        look: Look | None = None
        if is_new(state, evidence):
            state, look = look_at(state, evidence, world.now())
            state, look = with_planned_looks(experiment, state, look, evidence, settings, world.clock.now())
        # A faster run has looked at a newer count already, and its verdict is the better one.
        if state is None or state["generation"] != evidence.generation:
            return None
        verdict = decide(experiment, state, evidence, settings, now=world.clock.now(), is_covered=is_covered)
        # Stored before anything is carried out: a decision must never follow from a look that was lost.
        if look is not None and not self.looks.put(state, {**look, "verdict": look_verdict(settings, verdict)}):
            return None
        return verdict


def log_waiting(experiment: Experiment, settings: AutoStop, evidence: Evidence | None, waiting: Waiting) -> str:
    """Log why nothing was decided, and return the reason."""
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


def look_verdict(settings: AutoStop, verdict: Verdict) -> dict[str, Any]:
    """Return the verdict as the look stores it."""
    if isinstance(verdict, Waiting):
        return {"mode": settings.mode, "outcome": "waiting", "reason": verdict.reason}
    shown = {"guardrails": [guardrail_of_look(one) for one in verdict.guardrails]} if verdict.guardrails else {}
    if isinstance(verdict, Evaluated):
        return {"mode": settings.mode, "outcome": verdict.outcome, "reason": verdict.blocked, **shown}
    outcome = "winner" if isinstance(verdict, Winner) else "harm"
    return {"mode": settings.mode, "outcome": outcome, "reason": None, **shown}


def guardrail_of_look(finding: GuardrailFinding) -> dict[str, Any]:
    """Return a finding as a look stores it, without names and words."""
    return {
        "goal_id": finding.goal_id,
        "variation_id": finding.variation_id,
        "status": finding.status,
        "p_value": finding.p,
    }
