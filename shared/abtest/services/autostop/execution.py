"""Execution of a decision: the pause or the stored evaluation, with events and evidence, in one conditional commit."""

from dataclasses import replace
from typing import Any, Literal

from abtest.domain.autostop.evidence import Evidence
from abtest.domain.autostop.verdicts import Evaluated, Winner
from abtest.domain.changes.change import Event, Occasion
from abtest.domain.experiments.model import Experiment
from abtest.domain.planning.shapes import PlanEvaluation, Snapshot
from abtest.kit.clock import Timestamp
from abtest.ports.catalog import Catalog
from abtest.services.autostop.decision import is_same_question
from abtest.services.experiments.history import diff_of, rows_about
from abtest.services.experiments.store import ExperimentStore
from abtest.services.experiments.system import SYSTEM_USER_ID
from abtest.services.experiments.system_pause import NotPaused, change_running, pause_running

Done = Literal["paused", "evaluated", "overtaken", "resumed_by_people"]

WON = "auto_stop_significant"
INCONCLUSIVE = "auto_stop_inconclusive"
EVALUATED = "auto_stop_evaluated"


class DecisionExecution:
    """Changes that a verdict makes to an experiment."""

    def __init__(self, store: ExperimentStore) -> None:
        self._store = store

    def winner(self, experiment: Experiment, evidence: Evidence, verdict: Winner) -> Done:
        """Pause for a winner, unless a person has resumed the experiment after such a pause in this measurement."""
        if was_stopped(self._store.world.catalog, experiment):
            return "resumed_by_people"

        def edit(fresh: Experiment, _occasion: Occasion) -> Experiment | None:
            # The audit is read after `fresh`: a later pause or resume makes the commit fail, and this runs again.
            is_ours = is_same_question(experiment, fresh) and not was_stopped(self._store.world.catalog, fresh)
            return fresh if is_ours else None

        done = pause_running(
            self._store,
            experiment.shop_id,
            experiment.id,
            expected_measurement_epoch=evidence.measurement_epoch,
            reason=WON,
            events=winner_events(verdict),
            edit=edit,
            evidence=evidence_note(evidence, verdict),
        )
        return "overtaken" if isinstance(done, NotPaused) else "paused"

    def evaluated(self, experiment: Experiment, evidence: Evidence, verdict: Evaluated) -> Done:
        """Store the only evaluation of the planned look, and pause if the verdict demands it."""

        def edit(fresh: Experiment, occasion: Occasion) -> Experiment | None:
            return with_evaluation(fresh, verdict, occasion.now) if is_same_question(experiment, fresh) else None

        note = {"evaluation_outcome": verdict.outcome, "adjusted_p_values": dict(verdict.adjusted)}
        if verdict.pauses:
            done = pause_running(
                self._store,
                experiment.shop_id,
                experiment.id,
                expected_measurement_epoch=evidence.measurement_epoch,
                reason=WON if verdict.winner else INCONCLUSIVE,
                events=winner_events(verdict.winner) if verdict.winner else (),
                edit=edit,
                evidence={**evidence_note(evidence, verdict.winner), **note},
            )
            return "overtaken" if isinstance(done, NotPaused) else "paused"
        kept = change_running(
            self._store,
            experiment.shop_id,
            experiment.id,
            expected_measurement_epoch=evidence.measurement_epoch,
            action="experiment.evaluate",
            reason=EVALUATED,
            edit=edit,
            evidence={**evidence_note(evidence, None), **note},
        )
        return "overtaken" if isinstance(kept, NotPaused) else "evaluated"


def was_stopped(catalog: Catalog, experiment: Experiment) -> bool:
    """Return whether auto-stop has paused this measurement for a winner before. The audit row is part of the pause."""
    diffs = (
        diff_of(row)
        for row in rows_about(catalog, experiment, since=experiment.measurement_started_at or "")
        if row.user_id == SYSTEM_USER_ID
    )
    return any(
        diff.get("reason") == [None, WON] and diff.get("evidence_epoch") == [None, experiment.measurement_epoch]
        for diff in diffs
    )


def with_evaluation(experiment: Experiment, verdict: Evaluated, now: Timestamp) -> Experiment:
    """Return the experiment with the evaluation in its plan."""
    evaluation: PlanEvaluation = {
        "evaluated_at": now,
        "outcome": verdict.outcome,
        "total_visitors_at_evaluation": verdict.total_visitors,
        "winning_variation_id": verdict.winner.variation_id if verdict.winner else None,
    }
    if verdict.blocked:
        evaluation["blocked_reason"] = verdict.blocked
    plan: Snapshot = {
        **(experiment.planned_test or {}),
        "endpoint_reached_at": now,
        "evaluation": evaluation,
        "revenue_evaluation": {**verdict.revenue, "evaluated_at": now} if verdict.revenue else None,
    }
    return replace(experiment, planned_test=plan)


def winner_events(winner: Winner) -> tuple[Event, ...]:
    """Return the webhook events of a winner."""
    goal, variation = winner.goal_id, winner.variation_id
    return (
        Event("experiment.significant", {"goal_id": goal, "winning_variation_id": variation}),
        Event("variation.winning", {"variation_id": variation, "goal_id": goal}),
    )


def evidence_note(evidence: Evidence, winner: Winner | None) -> dict[str, Any]:
    """Return the evidence for the audit row. Its names differ from those of the experiment's fields."""
    note: dict[str, Any] = {
        "evidence_epoch": evidence.measurement_epoch,
        "evidence_generation": evidence.generation,
        "evidence_visitors": dict(evidence.visitors),
        "evidence_alpha": evidence.alpha,
    }
    if winner is not None:
        note |= {"goal_id": winner.goal_id, "winner": winner.variation_id, "adjusted_p": winner.p}
        note["difference"] = winner.difference
    return note
