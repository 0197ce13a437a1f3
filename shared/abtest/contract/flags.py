"""Feature flags on the wire."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field

from abtest.contract.base import ABSENT, AsStored, DateTime, Id, Input, OpenInput, Output, PublicationWarning
from abtest.contract.consent import LiveEdit
from abtest.contract.environments import EnvironmentKey
from abtest.contract.forms import Form
from abtest.contract.json_values import JsonValue
from abtest.contract.names import Name
from abtest.contract.targeting import Targeting
from abtest.contract.weekdays import WeekdaySchedule
from abtest.domain.flags.model import DeliveryType, Status
from abtest.domain.flags.model import Flag as Aggregate
from abtest.domain.flags.variants import VariantKey
from abtest.kit.json_objects import present

_KEY = "[a-z0-9]([a-z0-9-]{0,98}[a-z0-9])?"
_UUID = "[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"

_WORDS = "1 to 100 lower-case letters, digits and hyphens, the first and the last of them no hyphen"

FlagKey = Annotated[str, Form(_KEY, f"have {_WORDS}")]
FlagReference = Annotated[str, Form(f"({_UUID}|{_KEY})", f"be a UUID, or a key of {_WORDS}"), AfterValidator(str.lower)]
"""A flag's UUID or its key; paths accept both."""

Description = Annotated[str, Field(max_length=2000)]
Share = Annotated[float, Field(ge=0, le=1)]


class FlagFields(Input):
    """Fields of a flag that can change at any time."""

    description: Description | None = ABSENT
    delivery_type: DeliveryType = ABSENT
    environment_key: EnvironmentKey = ABSENT
    rollout_percentage: Share = ABSENT
    targeting: Targeting | None = ABSENT
    weekday_schedule: WeekdaySchedule | None = ABSENT


class FeatureFlagInput(FlagFields):
    """A new flag. Its values default to `false` (off) and `true` (on).

    `environment_key` need not be one of the environments in the settings.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "key": "wide-gallery",
                    "name": "Wide gallery",
                    "off_value": 3,
                    "on_value": 5,
                    "rollout_percentage": 0.25,
                }
            ]
        }
    )

    key: FlagKey
    name: Name
    off_value: JsonValue = ABSENT
    on_value: JsonValue = ABSENT
    activate: bool = ABSENT


class FeatureFlagUpdateInput(FlagFields, LiveEdit):
    """Changes to a flag (JSON merge); absent fields keep their value."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"rollout_percentage": 0.5, "confirm_live_impact": True}]}
    )

    key: FlagKey = ABSENT
    name: Name = ABSENT


class FlagVariant(Input):
    """The value of a flag when it is off, or on."""

    key: VariantKey
    value: JsonValue


FlagVariants = Annotated[
    list[FlagVariant],
    Field(min_length=2, max_length=2, examples=[[{"key": "off", "value": 3}, {"key": "on", "value": 5}]]),
]
"""Both values, each given once."""


class FeatureFlag(Output):
    """A flag in one environment."""

    id: Id
    key: str
    name: str
    description: str | None
    status: Status
    delivery_type: DeliveryType
    environment_key: str
    rollout_percentage: float
    targeting: Annotated[Any, AsStored(Targeting | None)]
    weekday_schedule: Annotated[Any, AsStored(WeekdaySchedule | None)]
    variants: Annotated[list[Any], AsStored(list[FlagVariant])]
    publication_warning: PublicationWarning = ABSENT
    created_at: DateTime
    updated_at: DateTime

    @classmethod
    def of(cls, flag: Aggregate, warning: PublicationWarning | None = None) -> Self:
        """Return the response of a flag."""
        variants = [{"key": "off", "value": flag.off_value}, {"key": "on", "value": flag.on_value}]
        return cls(
            **{name: getattr(flag, name) for name in _SAME_NAME},
            variants=variants,
            **present(publication_warning=warning),
        ).at(flag.version)


_SAME_NAME = frozenset(FeatureFlag.model_fields) - {"variants", "publication_warning"}


class VisitorAttributes(OpenInput):
    """Attributes of the visitor, for conditions. They override derived attributes."""

    url: Annotated[str, Field(max_length=8192, description="The address that page rules are matched against.")] = ABSENT
    customer_id: Annotated[str, Field(min_length=1, max_length=256)] = ABSENT


class FlagEvaluationInput(Input):
    """The visitor, and the environment whose flags are evaluated."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"visitor_id": "v-4711", "attributes": {"url": "https://shop.example/", "country": "DE"}}]
        }
    )

    environment_key: EnvironmentKey = ABSENT
    visitor_id: Annotated[str, Field(min_length=1, max_length=256)]
    attributes: VisitorAttributes = ABSENT


class EvaluatedFlag(Output):
    """A flag's value for one visitor, and the reason."""

    value: Annotated[Any, AsStored(JsonValue)]
    reason: Literal["on", "paused", "dark", "targeting", "rollout"]


class FlagEvaluation(Output):
    """Every active and paused flag of the environment, by key."""

    flags: dict[str, EvaluatedFlag]
