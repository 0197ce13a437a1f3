"""One variation in one goal on the wire: its counts, the engine's figures, and the verdict."""

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
    "zero_denominator",
    "no_conversions",
    "too_few_conversions",
    "no_variance",
    "no_look",
    "undecided",
    "better",
    "worse",
    "contradictory",
    "estimated",
]


class Interval(Output):
    """Both bounds at the level 1 - alpha, corrected like the p-value.

    Engine `sequential`: an interval of the current counts. Where an earlier look was more certain, it ends at 0 on the
    side which that look excluded, so that interval and verdict agree. Engine `group_sequential`: the repeated interval
    of the latest planned look, and in stage-wise order once the looks have ended.
    """

    lower: float
    upper: float


class Cuped(Output):
    """A comparison adjusted by the same measure before exposure (CUPED).

    It decides only where the plan chose it (`decides`); otherwise the verdict does not use it.
    """

    lift: float | None
    ci: Interval | None
    difference: float
    difference_ci: Interval | None
    p_value: float
    adjusted_p_value: float
    always_valid_p: Annotated[
        float | None, Field(description="Engine sequential: the smallest so far of the looks at this estimate.")
    ]
    is_significant: bool | None
    decides: Annotated[
        bool, Field(description="Significance, state and message of the row are those of this estimate.")
    ]
    variance_reduction: Annotated[float, Field(description="Explained share of the variance, 0 to 1.")]


class CovariateAdjustment(Output):
    """Role of the adjustment that the plan chose, `covariate_adjustment: cuped`, in these figures."""

    status: Annotated[
        Literal["decides", "missing", "not_counted", "not_from_the_first_look", "other_engine", "restricted"],
        Field(
            description=(
                "`decides`: verdicts are those of the adjusted figures in `cuped`; with planned looks, the row's own "
                "difference, lift, intervals and p-value are the adjusted ones. `missing`: they would decide, and this "
                "roll-up lacks them, so nothing is significant. In all others the plain figures decide: the time "
                "before is `not_counted` for the goal or this measurement; it was `not_from_the_first_look`, whose "
                "estimate a measurement keeps; the figures are of an `other_engine`, or `restricted` to a part of the "
                "visitors."
            )
        ),
    ]
    message: Annotated[str, Field(description="The status in a sentence.")]


class ForeignMoney(Output):
    """Money in other currencies than the shop's; null where there is none.

    Only `converted_revenue` is included in the revenue of the row.
    """

    foreign_revenue_buckets: Annotated[
        list[str] | None, Field(description='Face value of excluded orders by currency, such as "USD:12.30".')
    ]
    converted_revenue: Annotated[
        float | None,
        Field(description="Value in shop currency of orders whose sender gave both amounts. Included in revenue."),
    ]
    excluded_foreign_revenue: Annotated[
        float | None,
        Field(description="Face value of excluded orders in another currency; null when there are several currencies."),
    ]
    unconverted_revenue: Annotated[
        float | None, Field(description="Total of all excluded money if it has a single unit, else null.")
    ]
    unknown_currency_orders: Annotated[float | None, Field(description="Excluded orders of unknown currency.")]
    unknown_currency_revenue: Annotated[float | None, Field(description="Face value of orders of unknown currency.")]


class _Compared(Output):
    variation_id: Id
    variation_name: str
    is_control: bool
    visitors: int
    conversions: Annotated[int | None, Field(description="Visitors who converted.")]
    count: Annotated[int | None, Field(description="Hits; a goal that counts once counts visitors.")]
    rate: Annotated[float | None, Field(description="Conversions per visitor.")]
    mean: Annotated[float | None, Field(description="Hits per visitor, or major units per visitor for revenue.")]
    ratio: Annotated[
        float | None,
        Field(
            description=("`numerator_sum` / `denominator_sum`; null for other goals, and with a denominator of zero.")
        ),
    ]
    numerator_sum: Annotated[
        float | None, Field(description="Major units of `currency`, other values, or items; null unless a ratio.")
    ]
    denominator_sum: Annotated[float | None, Field(description="Hits or items; null unless a ratio.")]
    sd: Annotated[
        float | None,
        Field(
            description=(
                "Standard deviation per visitor of `mean` or `ratio`, as `POST /sample-size` takes it with either of "
                "them as `mean`; null for rates."
            )
        ),
    ]
    revenue: Annotated[float | None, Field(description="Major units of `currency`; null for goals without money.")]
    value: Annotated[
        float | None, Field(description="Sum of the hits' values; null for goals without `sum` or `mean`.")
    ]
    currency: str | None
    excluded: Annotated[
        int | None, Field(description="Orders excluded because their money is not in the shop's currency.")
    ]
    is_winsorized: Annotated[
        bool | None,
        Field(
            description=(
                "Whether mean and comparison use totals capped by the goal's `winsorize_pct`: false when "
                "the figures are restricted, null without the setting. Count and revenue are never "
                "capped."
            )
        ),
    ]
    winsorized_at: Annotated[
        float | None, Field(description="Cap of a visitor's total: hits, or major units of `currency`.")
    ]
    lift: Annotated[float | None, Field(description="Relative to the control: 0.1 is ten percent more.")]
    ci: Annotated[
        Interval | None,
        Field(
            description=(
                "Interval of `lift`: Koopman's for rates in engine frequentist, otherwise Fieller's. Null for "
                "a control without conversions, whose lift has no upper end."
            )
        ),
    ]
    difference: Annotated[float | None, Field(description="Absolute difference of the rate, mean or ratio.")]
    difference_ci: Interval | None
    p_value: Annotated[
        float | None,
        Field(
            description=(
                "Engine group_sequential: the repeated p-value over all planned looks, in stage-wise order once they "
                "have ended."
            )
        ),
    ]
    adjusted_p_value: float | None
    always_valid_p: Annotated[
        float | None,
        Field(
            description=(
                "Engine sequential: the smallest mSPRT p-value so far. `p_value` is the current one; "
                "`adjusted_p_value` is Holm over the smallest ones of the family, or `bh` over the current ones."
            )
        ),
    ]
    prob_to_beat_control: Annotated[
        float | None,
        Field(description="Engine bayesian: probability that the rate or mean is better in the goal's direction."),
    ]
    expected_loss: Annotated[
        float | None,
        Field(
            description=(
                "Engine bayesian: expected loss per visitor of choosing this variation, in the unit of "
                "the rate or mean."
            )
        ),
    ]
    is_significant: Annotated[
        bool | None,
        Field(description="Null when not evaluated, with too little data (see `state`), or for engine bayesian."),
    ]
    state: Annotated[
        RowState,
        Field(
            description=(
                "Conclusion of the row; `better` and `worse` follow the goal's direction. "
                "`contradictory`: the smallest p-value came from the opposite side."
            )
        ),
    ]
    message: Annotated[str, Field(description="The state in words.")]
    cuped: Annotated[
        Cuped | None,
        Field(
            description=(
                "Engines frequentist (means) and sequential: adjusted by the 14 days before exposure. Null for ratios, "
                "for goals that count once unless the plan chose the adjustment, in restricted figures, and in "
                "measurements begun by new weights or another plan. Corrected over the treatments of the goal, "
                "whatever the family, unless they decide."
            )
        ),
    ]


class ResultRow(ForeignMoney, _Compared):  # in this order, so that the most important fields come first
    """One variation in one goal. Comparisons are with the control, and null where they cannot be evaluated.

    A variation of weight 0 is not compared.
    """
