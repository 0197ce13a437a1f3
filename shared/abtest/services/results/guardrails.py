"""Guardrails of a measurement as results show them: by auto-stop's rule, on the counts of a snapshot."""

from collections.abc import Sequence

from abtest.contract import results as contract
from abtest.domain.autostop.guardrail_messages import UNTESTED, Untested, guardrail_documents
from abtest.domain.autostop.guardrails import findings
from abtest.domain.autostop.looks import is_new, look_at
from abtest.domain.autostop.settings import WITH_PLAN, AutoStop
from abtest.domain.autostop.shapes import LookState
from abtest.domain.autostop.verdicts import GuardrailFinding
from abtest.domain.experiments.design import in_use
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.planned_test import decisive_goal, planned_goal
from abtest.services.results.evidence import evidence_in, is_guardrail
from abtest.services.results.shop_rules import ShopRules
from abtest.services.results.snapshots import Snapshot


def has_guardrails(experiment: Experiment) -> bool:
    """Return whether any goal in use is tested for harm."""
    return any(is_guardrail(goal) and goal.archived_at is None for goal in experiment.goals)


def guardrails_of(
    experiment: Experiment, rules: ShopRules, snapshot: Snapshot, looks: LookState | None, *, is_covered: bool
) -> list[contract.GuardrailFinding]:
    """Return what each guardrail shows in each treatment with traffic. `looks`: the state of all visitors' looks.

    `is_covered`: all visitors and orders are measured. Raises OutdatedError.
    """
    settings = rules.auto_stop(experiment)
    evidence = evidence_in(snapshot, rules, experiment) if has_guardrails(experiment) else None
    if evidence is None:
        return _not_counted(experiment, settings, _untested(experiment, rules, snapshot))
    state = looks
    if looks is None or is_new(looks, evidence):
        # Not stored: the next look of auto-stop is the one that counts, and computes the same.
        state, _ = look_at(looks, evidence, (snapshot.totals or {}).get("computed_at", ""))
    shown = findings(state, evidence, settings, is_covered=is_covered, deciding=deciding_goal(experiment, settings))
    return _documents(experiment, shown)


def deciding_goal(experiment: Experiment, settings: AutoStop) -> str | None:
    """Return the goal that decides and is therefore not its own guardrail; without a plan, the one of results."""
    planned = planned_goal(experiment) if settings.mode in WITH_PLAN else None
    if planned is not None:
        # The planned look compares the rate of orders, so money is a guardrail even where its goal decides.
        return None if planned.is_revenue else planned.id
    leading = decisive_goal(experiment)
    return leading.id if leading else None


def _untested(experiment: Experiment, rules: ShopRules, snapshot: Snapshot) -> Untested:
    if experiment.measurement_started_at is None:
        return "not_started"
    return "no_count" if rules.question(experiment, snapshot.totals).control else "no_control"


def _not_counted(experiment: Experiment, settings: AutoStop, why: Untested) -> list[contract.GuardrailFinding]:
    deciding = deciding_goal(experiment, settings)
    goals = [goal.id for goal in experiment.goals if is_guardrail(goal) and goal.archived_at is None]
    arms = [arm for arm in in_use(experiment) if arm.weight > 0 and not arm.is_control]
    shown = [
        GuardrailFinding(goal_id=goal_id, variation_id=arm.id, status="not_counted")
        for goal_id in goals
        if goal_id != deciding
        for arm in arms
    ]
    return _documents(experiment, shown, UNTESTED[why])


def _documents(
    experiment: Experiment, shown: Sequence[GuardrailFinding], sentence: str | None = None
) -> list[contract.GuardrailFinding]:
    """Return findings for the wire. `sentence`: the message of all of them, in place of that of their status."""
    goals = {goal.id: goal.name for goal in experiment.goals}
    variations = {arm.id: arm.name for arm in experiment.variations}
    documents = guardrail_documents(shown, goals, variations)
    if sentence is not None:
        for one in documents:
            names = {"goal": goals[one["goal_id"]], "variation": variations[one["variation_id"]]}
            one["message"] = sentence.format(**names)
    return [contract.GuardrailFinding.model_validate(one) for one in documents]
