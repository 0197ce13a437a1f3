"""Statistics of calendar days, and figures by a grouping."""

from typing import Annotated

from fastapi import Query

from abtest.contract import analytics as contract
from abtest.contract.base import Reference, Uuid
from abtest.http.deps import use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError, ValidationFailedError
from abtest.services.analytics import Figures, FiguresQuery, PeriodQuery, Stats, StatsQuery
from api_analytics.endpoints.vocabulary import FirstDay, LastDay, ResultsReader, TimeZone

router = Router("/analytics", tag="Analytics")
Metric = Annotated[
    contract.Metric,
    Query(
        description=(
            "`revenue` and `average_order_value` are in major units of the shop's currency, the "
            "latter only of orders counted in it. `conversion_rate` is orders per visitor and may "
            "exceed 1; for experiments, variations and goals it is converters per visitor."
        )
    ),
]
OfExperiment = Annotated[Reference | None, Query(description="The experiment's id or public id.")]


@router.get("/stats", operation_id="getAnalyticsStats", responses=errors(NotFoundError, ValidationFailedError))
def get_stats(
    caller: ResultsReader,
    stats: Annotated[Stats, use(Stats)],
    since: FirstDay = None,
    until: LastDay = None,
    timezone: TimeZone = "UTC",
    experiment_id: OfExperiment = None,
    variation_id: Annotated[
        Uuid | None, Query(description="A variation of the experiment; requires `experiment_id`.")
    ] = None,
) -> contract.AnalyticsStatsResponse:
    """Return daily figures: distinct visitors, orders and revenue of the shop, or of one experiment by first exposure.

    The default period is the last 28 days; the longest is 400. For an experiment, `conversions` are converters of its
    primary goal, else of the first, and `revenue` is that of its revenue goal. All days are included, also those that
    `results_weekdays` excludes. A day of more than 25 hours is 422.
    """
    period = PeriodQuery(first=since, last=until, timezone=timezone)
    return stats.read(caller, StatsQuery(period=period, experiment_id=experiment_id, variation_id=variation_id))


@router.get("/data", operation_id="getAnalyticsData", responses=errors(NotFoundError, ValidationFailedError))
def get_data(
    caller: ResultsReader,
    figures: Annotated[Figures, use(Figures)],
    metric: Metric,
    group_by: contract.GroupBy = "date",
    since: FirstDay = None,
    until: LastDay = None,
    timezone: TimeZone = "UTC",
    experiment_id: Annotated[
        Reference | None, Query(description="The experiment of `variation` and `goal`; other groupings refuse it.")
    ] = None,
) -> contract.AnalyticsFigures:
    """Return one metric by one grouping. A combination that does not exist is 422, which lists the available ones.

    `date` has all metrics; segments, `experiment` and `variation` all but `events`; `event_type` only `events`; `goal`
    visitors, revenue, conversion rate and events. `experiment` covers the newest 50; only `variation` and `goal` take
    an `experiment_id`, and require it.

    Segments and events are grouped by UTC day; visitors of a segment are the sum over its days. `experiment`,
    `variation` and `goal` exclude visitors outside `results_weekdays`, as results do.
    """
    period = PeriodQuery(first=since, last=until, timezone=timezone)
    query = FiguresQuery(metric=metric, group_by=group_by, period=period, experiment_id=experiment_id)
    return figures.read(caller, query)
