"""Analytics of a shop on the wire: days, figures by a dimension, the funnel, the holdout, the program."""

from typing import Annotated, Literal

from pydantic import Field

from abtest.contract.base import DateTime, Output
from abtest.contract.results import Coverage, ForeignMoney, Interval, SampleRatio

Metric = Literal["visitors", "orders", "revenue", "average_order_value", "conversion_rate", "events"]
GroupBy = Literal[
    "date", "device", "country", "new_returning", "source", "event_type", "experiment", "variation", "goal"
]


class _Day(Output):
    date: str
    visitors: Annotated[float, Field(description="Distinct visitors; of an experiment, those first exposed that day.")]
    conversions: Annotated[
        float, Field(description="Orders; of an experiment, visitors who converted in its primary goal.")
    ]
    revenue: Annotated[float, Field(description="Major units of the shop's currency, net of refunds.")]


class AnalyticsStatsRow(ForeignMoney, _Day):
    """A calendar day of the time zone."""


class AnalyticsStatsResponse(Output):
    """Days from `from` to `to`, those without visitors too."""

    data: list[AnalyticsStatsRow]
    timezone: Annotated[str, Field(description="The IANA name, as the database of time zones spells it.")]
    coverage: Coverage


class AnalyticsFigure(Output):
    """The metric of one group. `name` is that of an experiment, a variation or a goal."""

    group: str
    name: str | None
    value: Annotated[float | None, Field(description="Null: nothing to divide by.")]


class AnalyticsFigures(Output):
    """Groups by date, or else the largest first."""

    data: list[AnalyticsFigure]


class FunnelDay(Output):
    """Visitors of a UTC day who did this or a later step that day."""

    date: str
    visited: int
    added_to_cart: int
    started_checkout: int
    purchased: int
    cart_rate: Annotated[float | None, Field(description="Of those who visited.")]
    checkout_rate: Annotated[float | None, Field(description="Of those who added to the cart.")]
    purchase_rate: Annotated[float | None, Field(description="Of those who started the checkout.")]
    conversion_rate: Annotated[float | None, Field(description="Purchased, of those who visited.")]


class Funnel(Output):
    """Days from `from` to `to`, those without visitors too."""

    data: list[FunnelDay]


class _Cohort(Output):
    cohort: Literal["holdout", "active"]
    visitors: int
    buyers: int
    orders: int
    revenue: float
    conversion_rate: Annotated[float | None, Field(description="Buyers per visitor.")]
    revenue_per_visitor: float | None


class HoldoutRow(ForeignMoney, _Cohort):
    """Visitors of a cohort, since they were first seen in it."""


class HoldoutEffect(Output):
    """`active` against `holdout`, compared once; null where it cannot be evaluated."""

    lift: float | None
    ci: Interval | None
    difference: float
    difference_ci: Interval | None
    p_value: float
    is_significant: bool


class HoldoutComparison(Output):
    """Everybody who is not held out against the holdout: what the whole program does."""

    is_enabled: bool
    holdout_config_epoch: Annotated[int, Field(description="Unix ms: counted since then.")]
    computed_at: DateTime | None
    generation: int | None
    currency: str
    alpha: float
    srm: SampleRatio
    multiple_exposure: Annotated[int, Field(description="Visitors seen in both cohorts, left out.")]
    rows: list[HoldoutRow]
    conversion_rate: HoldoutEffect | None
    revenue_per_visitor: HoldoutEffect | None


class Holdout(Output):
    """The holdout of the present configuration."""

    data: HoldoutComparison


class ProgramMonth(Output):
    """A calendar month (UTC)."""

    month: Annotated[str, Field(description="2026-03")]
    started: int
    completed: int
    won: int
    lost: int
    inconclusive: int


class ProgramFigures(Output):
    """Experiments of the shop, archived ones included."""

    started: int
    running: Annotated[int, Field(description="At this moment.")]
    completed: int
    won: int
    lost: int
    inconclusive: int
    win_rate: Annotated[float | None, Field(description="Won, of those that won, lost or were inconclusive.")]
    median_days: Annotated[float | None, Field(description="From start to end, of those completed.")]
    months: list[ProgramMonth]


class Program(Output):
    """How the shop experiments, from `from` to `to`."""

    data: ProgramFigures
