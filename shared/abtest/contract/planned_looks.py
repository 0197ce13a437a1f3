"""Looks of a group-sequential plan on the wire, as auto-stop took and stored them."""

from typing import Annotated, Literal

from pydantic import Field

from abtest.contract.base import DateTime, Id, Output
from abtest.contract.result_rows import Interval
from abtest.domain.autostop.shapes import LeftOut
from abtest.domain.planning.shapes import EndedBy

TreatmentState = Literal["no_look", "goes_on", "futile", "ended"]


class SpendingOfLooks(Output):
    """How the error is spent over the looks; `gamma` is that of Hwang, Shih and DeCani, else null."""

    family: Annotated[
        Literal["obrien_fleming", "pocock", "hwang_shih_decani"],
        Field(description="Little early and most at the end, about evenly, or steered by `gamma`."),
    ]
    gamma: Annotated[float | None, Field(description="Of `hwang_shih_decani`: -4 spends late, 1 early; else null.")]


class PlannedLook(Output):
    """One look at one treatment. The difference, its interval and z are of this look alone."""

    moment: DateTime
    generation: Annotated[int, Field(description="The count that was looked at.")]
    information: Annotated[float, Field(description="Share of the planned information; may exceed 1 at the last look.")]
    visitors: Annotated[int, Field(description="Visitors of the control and of this treatment.")]
    difference: Annotated[float, Field(description="Treatment minus control, of the rate of the plan's goal.")]
    ci: Annotated[
        Interval | None,
        Field(
            description=(
                "Repeated interval of the difference at the plan's alpha, not corrected for several treatments; null "
                "where the look has no boundary."
            )
        ),
    ]
    z: Annotated[float, Field(description="Difference over its standard error, positive where the goal got better.")]
    boundary: Annotated[
        float | None,
        Field(description="z that a single treatment must reach; null where next to no error may be spent."),
    ]
    futility_boundary: Annotated[
        float | None, Field(description="z at or below which the treatment may be given up; null without such bounds.")
    ]
    spent: Annotated[float, Field(description="Error spent so far; alpha at the last look.")]


class PlannedLooksOfTreatment(Output):
    """One treatment. `goes_on`: looks follow. `futile`: not likely to win. `ended`: its last look was taken."""

    variation_id: Id
    state: Annotated[TreatmentState, Field(description="Whether looks follow; see `message`.")]
    message: str
    p_value: Annotated[
        float | None, Field(description="Repeated p-value over all its looks, not corrected; null before the first.")
    ]
    left_out: Annotated[
        LeftOut | None,
        Field(description="Why the newest count that auto-stop saw was not a look; null where it was."),
    ]
    looks: Annotated[list[PlannedLook], Field(description="Oldest first.")]


class PlannedLooks(Output):
    """Looks at the rate of the plan's goal. Reading results takes none and spends no error."""

    goal_id: Id
    alpha: float
    tail: Annotated[
        Literal["two-sided", "one-sided"],
        Field(
            description="Of a one-sided plan each end of an interval has the error `alpha`, both ends twice as much."
        ),
    ]
    spending: Annotated[SpendingOfLooks, Field(description="Spending function of the plan, frozen at its first count.")]
    adjusted: Annotated[
        bool,
        Field(
            description=(
                "Whether the looks are at rates adjusted for the 14 days before exposures, as the plan chose and the "
                "first count froze."
            )
        ),
    ]
    restarted_at: Annotated[
        DateTime | None, Field(description="The goal was redefined, and only looks from here on count; else null.")
    ]
    ended_by: Annotated[EndedBy | None, Field(description="What ended the looks; null while they go on.")]
    message: str
    treatments: Annotated[list[PlannedLooksOfTreatment], Field(description="Treatments in use of the plan.")]


PlannedLooksField = Annotated[
    PlannedLooks | None,
    Field(
        description=(
            "Looks of the group-sequential plan, of all visitors; null without such looks, and in answers about a part "
            "of the visitors."
        )
    ),
]
