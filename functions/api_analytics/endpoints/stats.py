"""Statistics of calendar days, and figures by a grouping."""

from typing import Annotated

from fastapi import Query

from abtest.contract import analytics as contract
from abtest.contract.base import Reference, Uuid
from abtest.http.deps import use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError, ValidationFailedError
from abtest.services.analytics import Asked, Figures, FiguresWish, Stats, StatsWish
from api_analytics.endpoints.vocabulary import Analyst, FirstDay, LastDay, TimeZone

router = Router("/analytics", tag="Analytics")
Metric = Annotated[
    contract.Metric,
    Query(
        description="`revenue` and `average_order_value` in major units of the shop's currency, the latter of orders "
        "whose money counts; `conversion_rate` in orders per visitor, of experiments, variations and goals in visitors "
        "who converted."
    ),
]
OfExperiment = Annotated[Reference | None, Query(description="The experiment's id or public id.")]


@router.get("/stats", operation_id="getAnalyticsStats", responses=errors(NotFoundError, ValidationFailedError))
def get_stats(
    caller: Analyst,
    stats: Annotated[Stats, use(Stats)],
    since: FirstDay = None,
    until: LastDay = None,
    timezone: TimeZone = "UTC",
    experiment_id: OfExperiment = None,
    variation_id: Annotated[Uuid | None, Query(description="One of the experiment's; needs `experiment_id`.")] = None,
) -> contract.AnalyticsStatsResponse:
    """Days of the shop: distinct visitors, orders, money. Of an experiment: visitors by the day of first exposure.

    At most 400 days; the last 28 when nothing is said.
    """
    asked = Asked(first=since, last=until, timezone=timezone)
    return stats.read(caller, StatsWish(asked=asked, experiment_id=experiment_id, variation_id=variation_id))


@router.get("/data", operation_id="getAnalyticsData", responses=errors(NotFoundError, ValidationFailedError))
def get_data(
    caller: Analyst,
    figures: Annotated[Figures, use(Figures)],
    metric: Metric,
    group_by: contract.GroupBy = "date",
    since: FirstDay = None,
    until: LastDay = None,
    timezone: TimeZone = "UTC",
    experiment_id: Annotated[
        Reference | None, Query(description="Of which experiment variations and goals are; with no other grouping.")
    ] = None,
) -> contract.AnalyticsFigures:
    """One metric by one grouping; what a grouping does not have is 422, which names what it has.

    Segments and events are kept by UTC day. Visitors of segments are those of each day, added up.
    """
    asked = Asked(first=since, last=until, timezone=timezone)
    wish = FiguresWish(metric=metric, group_by=group_by, asked=asked, experiment_id=experiment_id)
    return figures.read(caller, wish)
