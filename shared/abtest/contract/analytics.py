"""Analytics of a shop on the wire: daily figures, figures by dimension, the funnel, the holdout, the program."""

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
    visitors: Annotated[float, Field(description="Distinct visitors; for an experiment, those first exposed that day.")]
    conversions: Annotated[
        float, Field(description="Orders; for an experiment, visitors who converted in its primary goal.")
    ]
    revenue: Annotated[float, Field(description="Major units of the shop's currency, net of refunds.")]


class AnalyticsStatsRow(ForeignMoney, _Day):
    """One calendar day of the time zone."""


class AnalyticsStatsResponse(Output):
    """Days from `from` to `to`, including days without visitors."""

    data: list[AnalyticsStatsRow]
    timezone: Annotated[str, Field(description="Canonical IANA name of the time zone.")]
    coverage: Coverage


class AnalyticsFigure(Output):
    """The metric of one group. `name` is the name of an experiment, a variation or a goal."""

    group: str
    name: str | None
    value: Annotated[float | None, Field(description="Null when the denominator is zero.")]


class AnalyticsFigures(Output):
    """Groups in order of date, or largest first."""

    data: list[AnalyticsFigure]


class FunnelDay(Output):
    """One UTC day. Each count includes visitors who reached that step or a later one."""

    date: str
    visited: int
    added_to_cart: int
    started_checkout: int
    purchased: int
    cart_rate: Annotated[float | None, Field(description="Share of visitors.")]
    checkout_rate: Annotated[float | None, Field(description="Share of visitors with a cart.")]
    purchase_rate: Annotated[float | None, Field(description="Share of visitors with a checkout.")]
    conversion_rate: Annotated[float | None, Field(description="Purchases as a share of visitors.")]


class Funnel(Output):
    """Days from `from` to `to`, including days without visitors."""

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
    """Comparison of `active` with `holdout`, valid at every look; null where it cannot be evaluated."""

    lift: float | None
    ci: Interval | None
    difference: float
    difference_ci: Interval | None
    p_value: float
    is_significant: bool


class HoldoutComparison(Output):
    """Visitors in the program compared with the holdout: the effect of the whole program."""

    is_enabled: bool
    holdout_config_epoch: Annotated[int, Field(description="Start of counting, in Unix milliseconds.")]
    computed_at: DateTime | None
    generation: int | None
    currency: str
    alpha: float
    engine: Annotated[
        Literal["sequential"], Field(description="A holdout has no planned end: its comparison holds at every look.")
    ]
    srm: SampleRatio
    multiple_exposure: Annotated[int, Field(description="Visitors seen in both cohorts, excluded.")]
    rows: list[HoldoutRow]
    conversion_rate: HoldoutEffect | None
    revenue_per_visitor: HoldoutEffect | None


class Holdout(Output):
    """The holdout in its current configuration."""

    data: HoldoutComparison


class ProgramMonth(Output):
    """One calendar month (UTC)."""

    month: Annotated[str, Field(description="Month, such as 2026-03.")]
    started: int
    completed: int
    won: int
    lost: int
    inconclusive: int


class ProgramFigures(Output):
    """Experiments of the shop, including archived ones."""

    started: int
    running: Annotated[int, Field(description="Current number.")]
    completed: int
    won: int
    lost: int
    inconclusive: int
    win_rate: Annotated[
        float | None, Field(description="Wins as a share of wins, losses and inconclusive experiments.")
    ]
    median_days: Annotated[float | None, Field(description="Median days from start to end, of completed experiments.")]
    months: list[ProgramMonth]


class Program(Output):
    """The experimentation program of the shop, from `from` to `to`."""

    data: ProgramFigures
