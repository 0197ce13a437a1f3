"""The funnel, the holdout, the program."""

from typing import Annotated

from abtest.contract import analytics as contract
from abtest.http.deps import use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ValidationFailedError
from abtest.services.analytics import Asked, FunnelReading, HoldoutReading, ProgramReading
from api_analytics.endpoints.vocabulary import Analyst, FirstDay, LastDay

router = Router("/analytics", tag="Analytics")


@router.get("/funnel", operation_id="getAnalyticsFunnel", responses=errors(ValidationFailedError))
def get_funnel(
    caller: Analyst,
    funnel: Annotated[FunnelReading, use(FunnelReading)],
    since: FirstDay = None,
    until: LastDay = None,
) -> contract.Funnel:
    """Visitors of each UTC day who visited, put something into the cart, started the checkout, bought."""
    return funnel.read(caller, Asked(first=since, last=until))


@router.get("/holdout", operation_id="getAnalyticsHoldout", responses=errors(ValidationFailedError))
def get_holdout(
    caller: Analyst,
    holdout: Annotated[HoldoutReading, use(HoldoutReading)],
    since: FirstDay = None,
    until: LastDay = None,
) -> contract.Holdout:
    """Everybody else against the holdout: all since it was last changed, or who was first seen in the period (UTC)."""
    return holdout.read(caller, Asked(first=since, last=until))


@router.get("/program", operation_id="getAnalyticsProgram", responses=errors(ValidationFailedError))
def get_program(
    caller: Analyst,
    program: Annotated[ProgramReading, use(ProgramReading)],
    since: FirstDay = None,
    until: LastDay = None,
) -> contract.Program:
    """Experiments started and completed in the period (UTC), how they went, month by month."""
    return program.read(caller, Asked(first=since, last=until))
