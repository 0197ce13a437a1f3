"""Goals on the wire."""

from typing import Annotated, Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from abtest.contract.base import ABSENT, AsStored, DateTime, Id, Input, Output, Unique, Uuid
from abtest.contract.goal_filters import GoalCapture, GoalFilter
from abtest.contract.names import Label, Name
from abtest.domain.experiments.limits import MAX_GOALS
from abtest.domain.goals.model import Aggregation, Direction, GoalRole, GoalType
from abtest.domain.goals.model import Goal as Measure
from abtest.domain.goals.shapes import Denominator, Numerator

Text = Annotated[str, Field(min_length=1, max_length=255)]
Address = Annotated[str, Field(min_length=1, max_length=500)]
Winsorize = Annotated[float, Field(ge=0, le=0.1)]
Selector = Annotated[str, Field(min_length=1, max_length=2000)]


class GoalFields(Input):
    """Fields of a goal."""

    is_primary: bool = ABSENT
    role: GoalRole = ABSENT
    direction: Direction = ABSENT
    event_name: Annotated[Label | None, Field(description="Required for custom goals.")] = ABSENT
    selector: Annotated[Selector | None, Field(description="Click goals need `selector` or `text_match`.")] = ABSENT
    text_match: Text | None = ABSENT
    url_pattern: Annotated[
        Address | None, Field(description="A `simple` URL pattern. Events without a matching `url` do not count.")
    ] = ABSENT
    page_id: Annotated[Uuid | None, Field(description="The id of one of the experiment's `goalPageRules`.")] = ABSENT
    count_once: bool = ABSENT
    aggregation: Annotated[
        Aggregation,
        Field(
            description=(
                "`sum` and `mean` use `data.value` of each hit, else its money in the shop's currency, "
                "else 0, and ignore `count_once`. `ratio` divides the sum of the `numerator` over all hits "
                "by that of the `denominator`."
            )
        ),
    ] = ABSENT
    numerator: Annotated[
        Numerator | None,
        Field(
            description=(
                "Required for the aggregation `ratio`, null for others. `value`: money of revenue goals, else as "
                "`sum`; `items`: the quantity of line items, only of revenue goals, `add_to_cart` and "
                "`checkout_started`. Hits without usable line items do not count then."
            )
        ),
    ] = ABSENT
    denominator: Annotated[
        Denominator | None,
        Field(
            description=(
                "Required for the aggregation `ratio`, null for others. `events`: hits, such as orders; `items` as in "
                "`numerator`, from which it must differ."
            )
        ),
    ] = ABSENT
    winsorize_pct: Winsorize | None = ABSENT
    attribution_window_days: Annotated[int, Field(ge=1, le=90)] = ABSENT
    currency_basis: Literal["shop_money"] = ABSENT
    filter: GoalFilter | None = ABSENT
    capture: Annotated[list[GoalCapture], Field(max_length=20)] = ABSENT


class ShopGoalCreate(GoalFields):
    """A reusable goal of the shop."""

    name: Name
    type: GoalType


class GoalUpdate(GoalFields):
    """Changes to a goal; absent fields keep their value."""

    name: Name = ABSENT
    type: GoalType = ABSENT


class GoalCreate(GoalUpdate):
    """A goal of an experiment: a new one by name and type, or a copy of a shop goal by `goal_id`.

    The copy keeps the id of the shop goal; only role and is_primary may be sent with `goal_id`.
    """

    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["goal_id"]}, {"required": ["name", "type"]}]})

    goal_id: Uuid = ABSENT

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        given = self.model_fields_set
        if "goal_id" not in given and not {"name", "type"} <= given:
            raise PydanticCustomError("incomplete", "either goal_id or both name and type are required")
        return self


class GoalItem(GoalUpdate):
    """A goal in the full list of an experiment: an existing one by `id`, a shop goal by `goal_id`, or a new one."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["id"]}, {"required": ["goal_id"]}, {"required": ["name", "type"]}]}
    )

    id: Uuid = ABSENT
    goal_id: Uuid = ABSENT

    @model_validator(mode="after")
    def _is_one_of_three(self) -> Self:
        given = self.model_fields_set
        if not {"id", "goal_id"} & given and not {"name", "type"} <= given:
            raise PydanticCustomError("incomplete", "id, goal_id, or both name and type are required")
        return self


class GoalOrder(Input):
    """The goals in their new order; the first is the primary one."""

    ids: Annotated[list[Uuid], Field(max_length=MAX_GOALS), Unique]


class Goal(Output):
    """The definition of a metric. `experiment_id` is null for a reusable goal of the shop."""

    id: Id
    experiment_id: Id | None
    name: str
    type: GoalType
    is_primary: bool
    role: GoalRole
    direction: Direction
    event_name: str | None
    selector: str | None
    text_match: str | None
    url_pattern: str | None
    page_id: Id | None
    count_once: bool
    aggregation: Aggregation
    numerator: Numerator | None
    denominator: Denominator | None
    winsorize_pct: float | None
    attribution_window_days: int
    currency_basis: Literal["shop_money"]
    filter: Annotated[Any, AsStored(GoalFilter | None)]
    capture: Annotated[list[Any], AsStored(list[GoalCapture])]
    archived_at: DateTime | None
    created_at: DateTime
    updated_at: DateTime

    @classmethod
    def of(cls, goal: Measure) -> Self:
        """Return the response of a goal."""
        fields = {name: getattr(goal, name) for name in cls.model_fields}
        return cls(**{**fields, "capture": list(goal.capture)})
