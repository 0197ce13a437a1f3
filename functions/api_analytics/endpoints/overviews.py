"""The funnel, the holdout, the program."""

from typing import Annotated

from abtest.contract import analytics as contract
from abtest.http.deps import use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ValidationFailedError
from abtest.services.analytics import FunnelReading, HoldoutReading, PeriodQuery, ProgramReading
from api_analytics.endpoints.vocabulary import Analyst, FirstDay, LastDay, ResultsReader

router = Router("/analytics", tag="Analytics")


@router.get("/funnel", operation_id="getAnalyticsFunnel", responses=errors(ValidationFailedError))
def get_funnel(
    caller: ResultsReader,
    funnel: Annotated[FunnelReading, use(FunnelReading)],
    since: FirstDay = None,
    until: LastDay = None,
) -> contract.Funnel:
    """Return the funnel by UTC day: visitors, visitors with a cart, with a checkout, with an order."""
    return funnel.read(caller, PeriodQuery(first=since, last=until))


@router.get("/holdout", operation_id="getAnalyticsHoldout", responses=errors(ValidationFailedError))
def get_holdout(
    caller: ResultsReader,
    holdout: Annotated[HoldoutReading, use(HoldoutReading)],
    since: FirstDay = None,
    until: LastDay = None,
) -> contract.Holdout:
    """Compare visitors in the program with the holdout.

    Without a period, all visitors since the holdout last changed; with one, those first seen in it (UTC days).
    """
    return holdout.read(caller, PeriodQuery(first=since, last=until))


@router.get("/program", operation_id="getAnalyticsProgram", responses=errors(ValidationFailedError))
def get_program(
    caller: Analyst,
    program: Annotated[ProgramReading, use(ProgramReading)],
    since: FirstDay = None,
    until: LastDay = None,
) -> contract.Program:
    """Return the experiments started and completed in the period (UTC), their outcomes, and figures by month.

    Archived experiments are included. The win rate is of experiments that won, lost or were inconclusive.
    """
    return program.read(caller, PeriodQuery(first=since, last=until))
