"""The health of an experiment: findings that stand and those that are over, and what could not be looked at."""

from collections.abc import Sequence

from abtest.contract import health as contract
from abtest.domain.experiments.model import Experiment
from abtest.domain.guardian.cases import Case, State
from abtest.domain.guardian.kinds import KINDS
from abtest.domain.guardian.messages import Names, nobody_seen, what, why_not
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_of
from abtest.services.guardian_memory import remembered
from abtest.services.shop_records import read_shop


class HealthReading:
    """Health of the caller's experiments."""

    def __init__(self, world: World) -> None:
        self._world = world

    def read(self, caller: Caller, reference: str) -> contract.ExperimentHealth:
        """By id or public id, newest findings first. Raises NotFoundError, also for other shops' experiments."""
        experiment = experiment_of(self._world.catalog, caller.shop_id, reference)
        state = remembered(self._world.catalog, experiment.shop_id, experiment.id).state
        currency = read_shop(self._world.catalog, experiment.shop_id).currency
        return _health(experiment, state, Names.of(experiment, currency))


def _health(experiment: Experiment, state: State | None, names: Names) -> contract.ExperimentHealth:
    present = state if state and state.measurement_epoch == experiment.measurement_epoch else None
    return contract.ExperimentHealth(
        experiment_id=experiment.id,
        measurement_epoch=experiment.measurement_epoch,
        checked_at=present.checked_at if present else None,
        generation=present.generation if present else None,
        data=[_finding(case, names) for case in _newest_first(state)],
        not_evaluated=[
            contract.KindNotEvaluated(
                kind=each.kind,
                reason=each.reason,
                message=why_not(each),
                variation_id=each.variation_id,
                goal_id=each.goal_id,
            )
            for each in (present.not_evaluated if present else ())
        ],
        unseen=_nobody_seen(experiment, present),
    )


def _nobody_seen(experiment: Experiment, state: State | None) -> contract.NobodySeen | None:
    """Of what does not run nobody is to be seen."""
    found = state.unseen if state and experiment.status == "running" else None
    if found is None:
        return None
    return contract.NobodySeen(since=found.since, shop_visitors=found.shop_visitors, message=nobody_seen(found))


def _newest_first(state: State | None) -> Sequence[Case]:
    """What waits for more checks is no finding yet."""
    cases = [case for case in (*state.open, *state.past) if case.action] if state else []
    return sorted(cases, key=lambda case: case.detected_at or case.since, reverse=True)


def _finding(case: Case, names: Names) -> contract.GuardianFinding:
    row = KINDS[case.kind]
    return contract.GuardianFinding.model_validate(
        {
            "kind": case.kind,
            "severity": row.severity,
            "action": case.action,
            "detected_at": case.detected_at,
            "resolved_at": case.resolved_at,
            "variation_id": case.variation_id,
            "goal_id": case.goal_id,
            "measurement_epoch": case.measurement_epoch,
            "blocks_revenue_verdicts": row.blocks_revenue,
            "message": what(case, names),
            "details": case.details,
        }
    )
