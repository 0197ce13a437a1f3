"""Results of experiments and personalizations."""

from typing import Annotated, cast

from fastapi import Query

from abtest.contract import results as contract
from abtest.contract.base import Reference, Uuid
from abtest.contract.forms import Form
from abtest.http.deps import use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError, ValidationFailedError
from abtest.services.results import Range, Results, ResultsQuery
from api_analytics.endpoints.vocabulary import Correction, CorrectionFamily, Engine, From, GoalIds, ResultsReader, To

Segment = Annotated[
    str | None,
    Form(
        "(device|country|new_returning|source)(:.{1,100})?",
        "be device, country, new_returning or source, alone or with a value, such as device:mobile",
    ),
    Query(
        description="`device:mobile` restricts all figures to that value; `device` adds `segments`, one per value.",
    ),
]

router = Router("/experiments", tag="Results")
of_personalizations = Router("/personalizations", tag="Results")


@router.get(
    "/{experiment_id}/results", operation_id="getResults", responses=errors(NotFoundError, ValidationFailedError)
)
def get(
    experiment_id: Reference,
    caller: ResultsReader,
    results: Annotated[Results, use(Results)],
    goal_id: GoalIds = [],  # noqa: B006 - FastAPI copies it
    segment: Segment = None,
    since: From = None,
    to: To = None,
    engine: Engine = None,
    correction: Correction = None,
    correction_family: CorrectionFamily = "treatments",
) -> contract.Results:
    """Return the results of an experiment: for each goal, one row per variation, compared with the control.

    Counts are as of `computed_at`. While results of the shop are read, they are updated within minutes: the first
    request may get older ones, and a later one, or `POST …/results/refresh`, the newest. Without `engine` the figures
    are those that hold at this moment: `sequential`, `frequentist` at a planned end, `group_sequential` from a planned
    look on (`engine_reason`). A row has the figures of that engine; others are null, and so is anything that cannot be
    evaluated. Below `min_visitors` and `min_conversions` no row is called significant, and `message` names what is
    missing.

    `segment` needs whole UTC days in `from` and `to`. `bayesian` with a correction or with `segment=<dimension>`, and a
    family of several goals where nothing is corrected, are 422; so is `group_sequential` for a part of the visitors or
    without planned looks. Visitors first exposed outside `results_weekdays` are not counted.
    """
    range_ = Range(start=since, end=to)
    return results.read(
        caller,
        experiment_id,
        query_of(goal_id, segment, range_, engine, correction, correction_family),
    )


@of_personalizations.get(
    "/{personalization_id}/results",
    operation_id="getPersonalizationResults",
    responses=errors(NotFoundError, ValidationFailedError),
)
def get_of_personalization(
    personalization_id: Uuid,
    caller: ResultsReader,
    results: Annotated[Results, use(Results)],
    goal_id: GoalIds = [],  # noqa: B006 - FastAPI copies it
    segment: Segment = None,
    since: From = None,
    to: To = None,
    engine: Engine = None,
    correction: Correction = None,
    correction_family: CorrectionFamily = "treatments",
) -> contract.PersonalizationResults:
    """Return the results of a personalization: visitors who see each experience, and those outside the rollout.

    Only a rollout below 1 leaves visitors to compare with. A new rollout begins a new measurement.
    """
    range_ = Range(start=since, end=to)
    return results.of_personalization(
        caller,
        personalization_id,
        query_of(goal_id, segment, range_, engine, correction, correction_family),
    )


def query_of(
    goal_ids: list[str],
    segment: str | None,
    range_: Range,
    engine: contract.Engine | None,
    correction: contract.Correction | None,
    family: contract.CorrectionFamily,
) -> ResultsQuery:
    """Return the query of these parameters. `segment` is a dimension, or a dimension and one of its values."""
    dimension, _, value = (segment or "").partition(":")
    return ResultsQuery(
        goal_ids=goal_ids,
        engine=engine,
        correction=correction,
        family=family,
        range=range_,
        segment=(cast("contract.Dimension", dimension), value or None) if dimension else None,
    )
