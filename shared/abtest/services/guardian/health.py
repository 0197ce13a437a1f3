"""Guardian's report on an experiment: open and past findings, and kinds that could not be evaluated."""

from abtest.contract import health as contract
from abtest.domain.experiments.model import Experiment
from abtest.domain.guardian.cases import Case, State
from abtest.domain.guardian.kinds import KINDS
from abtest.domain.guardian.messages import Names, finding_text, reason_text, unseen_text
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_of
from abtest.services.guardian_memory import remembered
from abtest.services.shop_records import read_shop


class HealthReading:
    """Guardian's reports on the caller's experiments."""

    def __init__(self, world: World) -> None:
        self._world = world

    def read(self, caller: Caller, reference: str) -> contract.ExperimentHealth:
        """Return the report, newest findings first. Raises NotFoundError, also for other shops' experiments."""
        experiment = experiment_of(self._world.catalog, caller.shop_id, reference)
        state = remembered(self._world.catalog, experiment.shop_id, experiment.id).state
        names = Names.of(experiment, read_shop(self._world.catalog, experiment.shop_id).currency)
        present = state if state and state.measurement_epoch == experiment.measurement_epoch else None
        # Without an action, a case waits for more checks and is not a finding yet.
        cases = [case for case in (*state.open, *state.past) if case.action] if state else []
        cases.sort(key=lambda case: case.detected_at or case.since, reverse=True)
        return contract.ExperimentHealth(
            experiment_id=experiment.id,
            measurement_epoch=experiment.measurement_epoch,
            checked_at=present.checked_at if present else None,
            generation=present.generation if present else None,
            data=[guardian_finding(case, names) for case in cases],
            not_evaluated=[
                contract.KindNotEvaluated(
                    kind=each.kind,
                    reason=each.reason,
                    message=reason_text(each),
                    variation_id=each.variation_id,
                    goal_id=each.goal_id,
                )
                for each in (present.not_evaluated if present else ())
            ],
            unseen=unseen_visitors(experiment, present),
        )


def unseen_visitors(experiment: Experiment, state: State | None) -> contract.NobodySeen | None:
    """Return since when no visitor is seen; None for an experiment that does not run, which has none to see."""
    unseen = state.unseen if state and experiment.status == "running" else None
    if unseen is None:
        return None
    return contract.NobodySeen(since=unseen.since, shop_visitors=unseen.shop_visitors, message=unseen_text(unseen))


def guardian_finding(case: Case, names: Names) -> contract.GuardianFinding:
    """Return a case in the contract's shape."""
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
            "message": finding_text(case, names),
            "details": case.details,
        }
    )
