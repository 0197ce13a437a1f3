"""Planned looks of a running experiment, as auto-stop takes them with the look at a count."""

from datetime import datetime

from abtest.domain.autostop.evidence import Evidence
from abtest.domain.autostop.looks import is_split_broken
from abtest.domain.autostop.planned_looks import looked, shown_look
from abtest.domain.autostop.settings import AutoStop, takes_planned_looks
from abtest.domain.autostop.shapes import Look, LookState
from abtest.domain.autostop.verdicts import Waiting
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.planned_test import planned_goal
from abtest.kit.clock import timestamp
from abtest.services.autostop.decision import not_comparable


def with_planned_looks(
    experiment: Experiment, state: LookState, look: Look, evidence: Evidence, settings: AutoStop, now: datetime
) -> tuple[LookState, Look]:
    """Return the state and the look of a new count with its planned looks; both unchanged where none are taken.

    None are taken without the mode or its plan, once the plan is evaluated, and before the minimum runtime is over.
    """
    plan = experiment.planned_test
    if plan is None or plan.get("evaluation") is not None or not takes_planned_looks(plan, settings):
        return state, look
    if planned_goal(experiment) is None or not_comparable(experiment, evidence, settings, now):
        return state, look
    looks = looked(
        state.get("planned_looks"),
        plan,
        evidence,
        settings,
        timestamp(now),
        is_split_broken=is_split_broken(state, evidence),
    )
    if isinstance(looks, Waiting):
        return state, look
    shown = shown_look(looks, evidence.generation)
    return {**state, "planned_looks": looks}, {**look, "planned": shown}
