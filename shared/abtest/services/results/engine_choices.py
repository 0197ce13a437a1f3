"""Engine of an answer, by the rule of `domain.autostop.default_engine` on the counts of a snapshot."""

from typing import TypedDict

from abtest.contract import results as contract
from abtest.domain.autostop.default_engine import (
    WARNINGS,
    EngineChoice,
    Extent,
    PlannedLooksSoFar,
    engine_choice,
    uses_planned_looks,
)
from abtest.domain.autostop.shapes import LookState
from abtest.domain.experiments.design import in_use
from abtest.domain.experiments.model import Experiment
from abtest.kit.clock import parse_timestamp
from abtest.kit.errors import refused
from abtest.services.results.group_sequential import arms_of
from abtest.services.results.population import WHOLE, population_of
from abtest.services.results.question import Question
from abtest.services.results.shop_rules import ShopRules
from abtest.services.results.snapshots import Snapshot


class EngineFields(TypedDict):
    """Fields of an answer that say by which engine it is, and why."""

    engine: contract.Engine
    engine_reason: contract.EngineReason
    engine_message: str
    engine_warning: contract.EngineWarning | None


def choice_of(
    experiment: Experiment,
    rules: ShopRules,
    snapshot: Snapshot,
    requested: contract.Engine | None = None,
    *,
    looks: LookState | None = None,
    is_whole: bool = True,
) -> EngineChoice:
    """Return the requested engine, else the experiment's default, with reason and warning.

    `looks`: the state of looks at all visitors; `is_whole`: the answer is of all of them. Raises OutdatedError, and
    ValidationFailedError for planned looks of an experiment that has none.
    """
    settings = rules.auto_stop(experiment)
    if requested == "group_sequential" and not uses_planned_looks(experiment, settings):
        raise refused(
            "engine",
            "must be another: this experiment has no planned looks. They need a plan, and auto-stop's mode "
            "group_sequential",
        )
    extent = extent_of(experiment, snapshot)._replace(is_whole=is_whole)
    # Also after a change of the mode: looks that were taken leave no error for a single look.
    if looks is not None and experiment.planned_test is not None:
        extent = extent._replace(
            planned_looks=planned_looks_so_far(rules.question(experiment, snapshot.totals, looks=looks))
        )
    return engine_choice(experiment, settings, extent, requested)


def planned_looks_so_far(question: Question) -> PlannedLooksSoFar:
    """Return whether planned looks were taken, and whether they have ended."""
    arms = arms_of(question)
    return "none" if not arms else "ended" if all(arm.is_over for arm in arms.values()) else "taken"


def extent_of(experiment: Experiment, snapshot: Snapshot) -> Extent:
    """Return the size of the measurement that auto-stop decides by. Raises OutdatedError."""
    began = experiment.measurement_started_at
    # Only a plan has an end. Without one the days of a measurement with weekdays need not be read.
    if snapshot.totals is None or began is None or experiment.planned_test is None:
        return Extent(0, 0)
    visitors = population_of(experiment, snapshot, WHOLE).counts(snapshot).visitors
    elapsed = parse_timestamp(snapshot.totals["computed_at"]) - parse_timestamp(began)
    return Extent(sum(visitors.get(arm.id, 0) for arm in in_use(experiment)), int(elapsed.total_seconds() // 60))


def engine_fields(choice: EngineChoice) -> EngineFields:
    """Return the engine of an answer with its reason, message and warning."""
    code = choice.warning
    return {
        "engine": choice.engine,
        "engine_reason": choice.reason,
        "engine_message": choice.message,
        "engine_warning": contract.EngineWarning(code=code, message=WARNINGS[code]) if code else None,
    }
