"""Parts of a report that help to act: worth in money, the next step, cautions about lifts and about time."""

from typing import Annotated, Literal

from pydantic import Field

from abtest.contract.base import Id, Output

StepCode = Literal[
    "launch",
    "check_delivery",
    "find_cause",
    "check_setup",
    "repair",
    "check_findings",
    "check_measurement",
    "finish_week",
    "keep_running",
    "make_plan",
    "decide",
    "roll_out",
    "stop_and_learn",
    "resume_or_end",
    "start_next",
]
NoWorth = Literal[
    "no_revenue_goal",
    "aa_test",
    "not_trusted",
    "too_little_data",
    "too_short",
    "excluded_currency_residue",
    "measurement_quality_unavailable",
]


class NextStep(Output):
    """The recommended next step, with its reason."""

    code: StepCode
    sentence: str


class MonthlyWorth(Output):
    """Worth of showing one treatment to all eligible visitors for a month, against the control.

    Rounded to two digits of the interval's half width. Negative: it costs.
    """

    variation_id: Id
    amount: Annotated[float, Field(description="Difference per visitor times `visitors_a_month`, in major units.")]
    lower: Annotated[float, Field(description="Lower end of the difference's interval, times the same visitors.")]
    upper: Annotated[float, Field(description="Upper end of the difference's interval, times the same visitors.")]
    is_significant: Annotated[bool, Field(description="True if the interval of the difference excludes zero.")]
    message: str


class Worth(Output):
    """Worth of a month (30 days) in the shop's money; the traffic is taken as known.

    Empty with the reason in `not_evaluable` where no revenue goal can be relied upon.
    """

    goal_id: Annotated[Id | None, Field(description="The goal that counts revenue.")]
    currency: str
    visitors_a_month: Annotated[
        int | None,
        Field(
            description=(
                "Eligible visitors of 30 days at the measured traffic: those of the test, divided by the share of "
                "traffic that takes part. Two digits are meaningful."
            )
        ),
    ]
    not_evaluable: Annotated[NoWorth | None, Field(description="Why there is no amount.")]
    treatments: Annotated[list[MonthlyWorth], Field(description="Worth of each treatment with enough data.")]
    message: str


class ImplausibleLift(Output):
    """A lift that is too good, or too bad, to be true (Twyman's law): check its measurement first.

    Before a test, true lifts are taken as normal around zero with `prior_deviation`.
    """

    goal_id: Id
    variation_id: Id
    lift: float
    prior_deviation: Annotated[float, Field(description="Standard deviation of true lifts before a test: 0.05.")]
    surprise: Annotated[float, Field(description="Chance of so large a lift before the test; marked below 0.01.")]
    expected_lift: Annotated[float, Field(description="Mean of the true lift, given prior and data.")]
    message: str


class EarlyStop(Output):
    """A caution: a test that stops at a look because of what it shows exaggerates the effect, on average.

    The corrected estimate is the mean of the posterior under effects of the planned size, N(0, tau²); without a plan
    for the goal tau is 5 % of the control's mean. The interval needs no correction.
    """

    goal_id: Id
    variation_id: Id
    lift: float | None
    corrected_lift: Annotated[float | None, Field(description="The lift to expect.")]
    difference: float
    corrected_difference: Annotated[float, Field(description="The difference to expect.")]
    message: str


class MeasuredTime(Output):
    """Time of the present measurement: until its end, the pause, or the last count."""

    days: float
    warning: Annotated[
        Literal["under_a_week", "not_whole_weeks"] | None,
        Field(description="Weekdays do not count alike: less than 7 days, or not a whole number of weeks."),
    ]
    message: Annotated[str, Field(description="Time, and the warning, in words.")]
