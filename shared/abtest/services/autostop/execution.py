"""Execution of a decision: the pause or the stored evaluation, with events and evidence, in one conditional commit."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from abtest.domain.autostop.evidence import Evidence
from abtest.domain.autostop.guardrail_messages import guardrail_documents
from abtest.domain.autostop.verdicts import Evaluated, GuardrailFinding, Harm, Winner
from abtest.domain.changes.change import Event, Occasion
from abtest.domain.experiments.model import Experiment
from abtest.domain.planning.shapes import GuardrailDocument, PlanEvaluation, Snapshot
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
HARM = "auto_stop_harm"


class DecisionExecution:
    """Changes that a verdict makes to an experiment."""

    def __init__(self, store: ExperimentStore) -> None:
        self._store = store

    def stopped(self, experiment: Experiment, evidence: Evidence, verdict: Winner | Harm) -> Done:
        """Pause for a winner or for harm, unless a person has resumed the experiment after such a pause before."""
        winner = verdict if isinstance(verdict, Winner) else None
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
            reason=WON if winner else HARM,
            events=decision_events(experiment, winner, verdict.guardrails),
            edit=edit,
            evidence={**evidence_note(evidence, winner), **guardrail_note(experiment, verdict.guardrails)},
        )
        return "overtaken" if isinstance(done, NotPaused) else "paused"

    def evaluated(self, experiment: Experiment, evidence: Evidence, verdict: Evaluated) -> Done:
        """Store the only evaluation of the plan, and pause if the verdict demands it."""

        def edit(fresh: Experiment, occasion: Occasion) -> Experiment | None:
            return with_evaluation(fresh, verdict, occasion.now) if is_same_question(experiment, fresh) else None

        note: dict[str, Any] = {"evaluation_outcome": verdict.outcome, "adjusted_p_values": dict(verdict.adjusted)}
        if verdict.ended_by:
            note["ended_by"] = verdict.ended_by
        note |= guardrail_note(experiment, verdict.guardrails)
        is_harm = verdict.outcome == "harm"
        has_events = verdict.winner is not None or is_harm
        events = decision_events(experiment, verdict.winner, verdict.guardrails) if has_events else ()
        if verdict.pauses:
            done = pause_running(
                self._store,
                experiment.shop_id,
                experiment.id,
                expected_measurement_epoch=evidence.measurement_epoch,
                reason=WON if verdict.winner else HARM if is_harm else INCONCLUSIVE,
                events=events,
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
    """Return whether auto-stop has paused this measurement for a winner or harm before. The pause has the audit row."""
    diffs = (
        diff_of(row)
        for row in rows_about(catalog, experiment, since=experiment.measurement_started_at or "")
        if row.user_id == SYSTEM_USER_ID
    )
    return any(
        diff.get("reason") in ([None, WON], [None, HARM])
        and diff.get("evidence_epoch") == [None, experiment.measurement_epoch]
        for diff in diffs
    )


def with_evaluation(experiment: Experiment, verdict: Evaluated, now: Timestamp) -> Experiment:
    """Return the experiment with the evaluation in its plan."""
    evaluation: PlanEvaluation = {
        "evaluated_at": now,
        "outcome": verdict.outcome,
        "total_visitors_at_evaluation": verdict.total_visitors,
        "winning_variation_id": verdict.winner.variation_id if verdict.winner else None,
        "paused": verdict.pauses,
    }
    if verdict.blocked:
        evaluation["blocked_reason"] = verdict.blocked
    if verdict.guardrails:
        evaluation["guardrails"] = documents_of(experiment, verdict.guardrails)
    if verdict.ended_by:
        evaluation |= {"engine": "group_sequential", "ended_by": verdict.ended_by}
    plan: Snapshot = {
        **(experiment.planned_test or {}),
        "endpoint_reached_at": now,
        "evaluation": evaluation,
        "revenue_evaluation": {**verdict.revenue, "evaluated_at": now} if verdict.revenue else None,
    }
    return replace(experiment, planned_test=plan)


def decision_events(
    experiment: Experiment, winner: Winner | None, guardrails: Sequence[GuardrailFinding]
) -> tuple[Event, ...]:
    """Return the webhook events of a winner, or of harm: then `goal_id` is the guardrail with the smallest p."""
    shown = documents_of(experiment, guardrails)
    if winner is None:
        harmed = [one for one in shown if one["status"] == "harmed"]
        worst = min(harmed, key=lambda one: (one["p_value"] or 0.0, one["goal_id"], one["variation_id"]))
        facts = {"goal_id": worst["goal_id"], "winning_variation_id": None, "outcome": "harm", "guardrails": shown}
        return (Event("experiment.significant", facts),)
    goal, variation = winner.goal_id, winner.variation_id
    facts = {"goal_id": goal, "winning_variation_id": variation, "outcome": "winner", "guardrails": shown}
    return (
        Event("experiment.significant", facts),
        Event("variation.winning", {"variation_id": variation, "goal_id": goal}),
    )


def documents_of(experiment: Experiment, guardrails: Sequence[GuardrailFinding]) -> list[GuardrailDocument]:
    """Return findings in words, with the names of the experiment's goals and variations."""
    goals = {goal.id: goal.name for goal in experiment.goals}
    return guardrail_documents(guardrails, goals, {arm.id: arm.name for arm in experiment.variations})


def guardrail_note(experiment: Experiment, guardrails: Sequence[GuardrailFinding]) -> dict[str, Any]:
    """Return what the guardrails showed, for the audit row; nothing without guardrails."""
    return {"guardrails": documents_of(experiment, guardrails)} if guardrails else {}


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
        if winner.is_adjusted:
            note["estimate"] = "cuped"
    return note
