"""Turn of auto-stop at a running experiment: a look at new counts, and a decision."""

import logging
from dataclasses import dataclass
from typing import Any

from abtest.domain.autostop.evidence import Evidence
from abtest.domain.autostop.looks import is_new, is_newer, look_at
from abtest.domain.autostop.settings import AutoStop as Settings
from abtest.domain.autostop.shapes import Look, LookState
from abtest.domain.autostop.verdicts import Evaluated, GuardrailFinding, Harm, Verdict, Waiting, Winner
from abtest.domain.experiments.model import Experiment
from abtest.ports.looks import LookStore
from abtest.ports.rollup_store import Document
from abtest.services.autostop.decision import decide
from abtest.services.autostop.evidence import evidence_of
from abtest.services.autostop.execution import DecisionExecution
from abtest.services.autostop.planned import with_planned_looks
from abtest.services.experiments.store import ExperimentStore
from abtest.services.leases import Lease
from abtest.services.results.shop_rules import Coverage, ShopRules
from abtest.services.results.snapshots import RollupReader

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AutoStopShop:
    """Rules of a shop and coverage of its traffic, each read once for all experiments of a message."""

    rules: ShopRules
    coverage: Coverage


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoStop:
    """Looks and decisions. Two workers at once are safe, and so is the death of one at any line.

    A look is stored after the one that was read, or not at all. The decision follows from the stored look, so the next
    turn carries out what a dead one has left.
    """

    store: ExperimentStore
    reader: RollupReader
    looks: LookStore

    def shop(self, rules: ShopRules) -> AutoStopShop:
        """Return what the turns of one shop share."""
        return AutoStopShop(rules, Coverage(self.store.world, self.reader.store))

    def settled(
        self, shop: AutoStopShop, experiment: Experiment, totals: Document | None, state: LookState | None
    ) -> str | None:
        """Return why nothing can come of a turn, or None. `totals` and `state` are what is stored."""
        settings = shop.rules.auto_stop(experiment)
        if totals is None:
            return log_waiting(experiment, settings, None, Waiting("not_counted_yet"))
        # In every other mode time alone, or an edit, may decide on counts that were looked at before.
        if settings.mode == "off" and not is_newer(totals, state):
            return log_waiting(experiment, settings, None, Waiting("off"))
        return None

    def turn(
        self,
        shop: AutoStopShop,
        experiment: Experiment,
        totals: Document | None,
        state: LookState | None,
        held: Lease,
    ) -> str:
        """Take a look if the counts are new, decide, and carry the decision out; return one word for the result."""
        rules = shop.rules
        settings = rules.auto_stop(experiment)
        evidence = evidence_of(self.reader, rules, experiment, totals)
        if evidence is None:
            return log_waiting(experiment, settings, None, Waiting("not_counted_yet"))
        has_money = any(measure.is_money for measure in evidence.measures.values())
        # Coverage is read only for verdicts about money.
        is_covered = (
            settings.mode == "off" or not has_money or not shop.coverage.of(experiment, rules).mixed_populations
        )
        held.check()
        verdict = self._look(experiment, evidence, settings, state, is_covered)
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

    def _look(
        self,
        experiment: Experiment,
        evidence: Evidence,
        settings: Settings,
        state: LookState | None,
        is_covered: bool,
    ) -> Verdict | None:
        """Store a look at a new generation and return its verdict; None when another worker was faster."""
        world = self.store.world
        look: Look | None = None
        if is_new(state, evidence):
            state, look = look_at(state, evidence, world.now())
            state, look = with_planned_looks(experiment, state, look, evidence, settings, world.clock.now())
        # A faster worker has looked at a newer count already, and its verdict is the better one.
        if state is None or state["generation"] != evidence.generation:
            return None
        verdict = decide(experiment, state, evidence, settings, now=world.clock.now(), is_covered=is_covered)
        # Stored before anything is carried out: a decision must never follow from a look that was lost.
        if look is not None and not self.looks.put(state, {**look, "verdict": look_verdict(settings, verdict)}):
            return None
        return verdict


def log_waiting(experiment: Experiment, settings: Settings, evidence: Evidence | None, waiting: Waiting) -> str:
    """Log why nothing was decided, and return the reason."""
    if waiting.reason != "off":
        facts = {**_facts(experiment, settings, evidence), "reason": waiting.reason, "said": waiting.message}
        _log.info("autostop.waits", extra=facts)
    return waiting.reason


def _facts(experiment: Experiment, settings: Settings, evidence: Evidence | None) -> dict[str, Any]:
    return {
        "shop_id": experiment.shop_id,
        "experiment_id": experiment.id,
        "mode": settings.mode,
        "measurement_epoch": experiment.measurement_epoch,
        "generation": evidence.generation if evidence else None,
    }


def look_verdict(settings: Settings, verdict: Verdict) -> dict[str, Any]:
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
