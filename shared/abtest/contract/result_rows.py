"""A variation in one goal on the wire: its counts, what the engine found, and what may be said of it."""

from typing import Annotated, Literal

from pydantic import Field

from abtest.contract.base import Id, Output

RowState = Literal[
    "baseline",
    "not_counted_yet",
    "no_control",
    "no_traffic",
    "no_visitors",
    "too_few_visitors",
    "no_conversions",
    "too_few_conversions",
    "no_variance",
    "undecided",
    "better",
    "worse",
    "contradictory",
    "estimated",
]


class Interval(Output):
    """Both ends at the level 1 - alpha, corrected as the p-value is."""

    lower: float
    upper: float


class Cuped(Output):
    """A comparison of means adjusted by the same measure before exposure. It is no verdict of the experiment."""

    lift: float | None
    ci: Interval | None
    difference: float
    difference_ci: Interval | None
    p_value: float
    adjusted_p_value: float
    is_significant: bool | None
    variance_reduction: Annotated[float, Field(description="Share of the variance that is explained, 0 to 1.")]


class ForeignMoney(Output):
    """Money that senders told in another currency than the shop's; null where there is none.

    Only `converted_revenue` is contained in the revenue that stands beside it.
    """

    foreign_revenue_buckets: Annotated[
        list[str] | None, Field(description='Face value of what is left out, by currency: "USD:12.30".')
    ]
    converted_revenue: Annotated[
        float | None,
        Field(description="The shop's money of orders in other currencies whose sender told both. Part of revenue."),
    ]
    excluded_foreign_revenue: Annotated[
        float | None,
        Field(description="Face value of orders in one other currency, left out; null when they are in several."),
    ]
    unconverted_revenue: Annotated[
        float | None, Field(description="All that is left out, where it is in one unit; else null.")
    ]
    unknown_currency_orders: Annotated[float | None, Field(description="Orders whose currency is unknown, left out.")]
    unknown_currency_revenue: Annotated[float | None, Field(description="Their face value.")]


class _Compared(Output):
    variation_id: Id
    variation_name: str
    is_control: bool
    visitors: int
    conversions: Annotated[int | None, Field(description="Visitors who converted.")]
    count: Annotated[int | None, Field(description="Hits; a goal that counts once counts visitors.")]
    rate: Annotated[float | None, Field(description="Conversions per visitor.")]
    mean: Annotated[float | None, Field(description="Hits per visitor, or major units per visitor for revenue.")]
    revenue: Annotated[float | None, Field(description="Major units of `currency`; null for goals without money.")]
    value: Annotated[float | None, Field(description="Sum of the values of hits; null for goals that sum none.")]
    currency: str | None
    excluded: Annotated[int | None, Field(description="Orders left out: their money is not in the shop's currency.")]
    is_winsorized: Annotated[
        bool | None,
        Field(
            description="Whether mean and comparison are of totals capped as the goal's `winsorize_pct` asks; false "
            "when the numbers are narrowed, null when the goal does not ask. Count and revenue are never capped."
        ),
    ]
    winsorized_at: Annotated[
        float | None, Field(description="The cap of a visitor's total: hits, or major units of `currency`.")
    ]
    lift: Annotated[float | None, Field(description="Relative to the control: 0.1 is ten percent more.")]
    ci: Annotated[Interval | None, Field(description="Interval of `lift` (Fieller).")]
    difference: Annotated[float | None, Field(description="Of the rate or mean, absolute.")]
    difference_ci: Interval | None
    p_value: float | None
    adjusted_p_value: float | None
    always_valid_p: Annotated[
        float | None,
        Field(description="Engine sequential: the smallest mSPRT p so far. `adjusted_p_value` corrects it."),
    ]
    prob_to_beat_control: Annotated[
        float | None, Field(description="Engine bayesian: that the rate or mean is on the goal's better side.")
    ]
    expected_loss: Annotated[
        float | None,
        Field(description="Engine bayesian: what choosing this costs a visitor on average over the posterior."),
    ]
    is_significant: Annotated[
        bool | None, Field(description="Null: not evaluated, too little data (see `state`), or engine bayesian.")
    ]
    state: Annotated[RowState, Field(description="What may be said; `better` and `worse` by the goal's direction.")]
    message: Annotated[str, Field(description="The same in words.")]
    cuped: Annotated[
        Cuped | None,
        Field(
            description="Engine frequentist: the means compared once more, less what visitors did in the 14 days "
            "before. Null for rates, and where that was not counted."
        ),
    ]


class ResultRow(ForeignMoney, _Compared):  # in this order, what everybody reads stands first
    """A variation in one goal. Comparisons are with the control, and null where they cannot be evaluated."""
