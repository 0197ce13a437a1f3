"""Personalizations on the wire."""

from collections.abc import Sequence
from typing import Annotated, Any, Self

from pydantic import ConfigDict, Field

from abtest.contract.base import ABSENT, AsStored, DateTime, Id, Input, Output, PublicationWarning, Unique, Uuid
from abtest.contract.code import Code
from abtest.contract.consent import LiveEdit
from abtest.contract.environments import EnvironmentKey
from abtest.contract.forms import Form
from abtest.contract.json_values import JsonValue
from abtest.contract.mutations import Mutation
from abtest.contract.names import READABLE, Name
from abtest.contract.targeting import Targeting
from abtest.contract.variations import Mutations
from abtest.domain.goals.model import Goal, GoalType
from abtest.domain.personalizations.limits import KEY_LENGTH, MAX_GOALS, MAX_RULES
from abtest.domain.personalizations.model import DeliveryType, Status
from abtest.domain.personalizations.model import Experience as StoredExperience
from abtest.domain.personalizations.model import Personalization as Aggregate
from abtest.kit.json_objects import present

Key = Annotated[str, Field(min_length=1, max_length=KEY_LENGTH), READABLE]
"""Any text that can be read in a list."""

StoredKey = Annotated[
    str,
    Field(min_length=1, max_length=KEY_LENGTH),
    Form(r"[\s\S]*[^ \t\n\r][\s\S]*", "have a character that is not a space"),
]
"""The key of an experience that exists, which an older release may have stored with other characters."""

Share = Annotated[float, Field(ge=0, le=1)]
Selector = Annotated[str, Field(min_length=1, max_length=500)]

_WELCOME: dict[str, Any] = {
    "key": "welcome-back",
    "name": "Welcome back",
    "experience": {"mutations": [{"selector": "h1", "action": "text", "text": "Good to see you again"}]},
}


class ExperienceFields(Input):
    """Fields of an experience."""

    name: Name = ABSENT
    value: JsonValue = ABSENT
    mutations: Mutations = ABSENT
    custom_css: Code | None = ABSENT
    custom_js: Code | None = ABSENT
    reset_js: Code | None = ABSENT
    anti_flicker_selectors: Annotated[list[Selector], Field(max_length=100)] = ABSENT
    recommendation_profile: Annotated[str, Field(min_length=1, max_length=120), READABLE] | None = ABSENT


class PersonalizationExperienceInput(ExperienceFields):
    """The default experience. Its key defaults to `default`, its name to `Personalized experience`.

    Code fields and serialized mutations have at most 500,000 characters together.
    """

    key: Key = ABSENT


class ExperienceCreate(PersonalizationExperienceInput, LiveEdit):
    """A new experience of a personalization. Its key cannot change later; it may be any text of 1 to 100 characters."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"key": "vip", "name": "For regulars", "custom_css": ".banner{display:none}"}]}
    )


class ExperienceUpdate(ExperienceFields, LiveEdit):
    """Changes to an experience; absent fields keep their value. The key cannot change, because rules use it."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"custom_css": ".banner{color:teal}", "confirm_live_impact": True}]}
    )


class PersonalizationFields(Input):
    """Fields of a personalization that can change at any time. `template_key` is stored and not returned."""

    description: Annotated[str, Field(max_length=2000)] | None = ABSENT
    delivery_type: DeliveryType = ABSENT
    surface: Annotated[str, Field(min_length=1, max_length=80), READABLE] = ABSENT
    environment_key: EnvironmentKey = ABSENT
    priority: Annotated[int, Field(ge=0, le=10_000, description="The lowest number is served first.")] = ABSENT
    rollout_percentage: Share = ABSENT
    template_key: Annotated[str, Field(min_length=1, max_length=120), READABLE] | None = ABSENT
    targeting: Targeting | None = ABSENT
    goal_ids: Annotated[list[Uuid], Field(max_length=MAX_GOALS), Unique] = ABSENT
    primary_goal_id: Uuid = ABSENT


class PersonalizationInput(PersonalizationFields):
    """A new personalization, with its first experience. Its key has 1 to 100 characters and is not blank."""

    model_config = ConfigDict(json_schema_extra={"examples": [_WELCOME]})

    name: Name
    key: Key
    activate: bool = ABSENT
    experience: PersonalizationExperienceInput = ABSENT


class PersonalizationUpdateInput(PersonalizationFields, LiveEdit):
    """Changes to a personalization (JSON merge); absent fields keep their value."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"priority": 20, "rollout_percentage": 0.5, "confirm_live_impact": True}]}
    )

    name: Name = ABSENT
    key: Key = ABSENT


class PersonalizationDuplication(Input):
    """Options of a copy. Name and key default to `<name> (copy)` and `<key>-copy`."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"name": "Welcome back, second try", "key": "welcome-back-2"}]}
    )

    name: Name = ABSENT
    key: Key = ABSENT


class PersonalizationRule(Input):
    """An experience and its targeting; without targeting it applies to everyone, everywhere."""

    experience_key: StoredKey
    name: Name | None = ABSENT
    targeting: Targeting | None = ABSENT


PersonalizationRules = Annotated[
    list[PersonalizationRule],
    Field(max_length=MAX_RULES, examples=[[{"experience_key": "default", "name": "Everybody else"}]]),
]
"""The first matching rule decides. If none matches, the experience with the key `default` is shown, if any."""


class PersonalizationOrderInput(Input):
    """Personalizations in the order in which they are served."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"ids": ["0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d65", "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d34"]}]
        }
    )

    ids: Annotated[list[Uuid], Field(min_length=1, max_length=1000), Unique]


class PersonalizationGoal(Output):
    """A goal that measures the personalization: a copy of a shop goal under the same id. Later changes of the shop goal
    do not reach it."""

    goal_id: Id
    name: str
    type: GoalType
    is_primary: bool

    @classmethod
    def of(cls, goal: Goal) -> Self:
        """Return the response of a goal."""
        return cls(goal_id=goal.id, name=goal.name, type=goal.type, is_primary=goal.is_primary)


class PersonalizationExperience(Output):
    """One experience of a personalization."""

    id: Id
    key: str
    name: str
    value: Annotated[Any, AsStored(JsonValue)]
    mutations: Annotated[list[Any], AsStored(list[Mutation])]
    custom_css: str | None
    custom_js: str | None
    reset_js: str | None
    anti_flicker_selectors: list[str]
    recommendation_profile: str | None
    publication_warning: PublicationWarning = ABSENT

    @classmethod
    def of(cls, experience: StoredExperience, warning: PublicationWarning | None = None) -> Self:
        """Return the response of an experience."""
        plain = {name: getattr(experience, name) for name in _OF_EXPERIENCE}
        lists = {name: list(plain[name]) for name in ("mutations", "anti_flicker_selectors")}
        return cls(**{**plain, **lists, **present(publication_warning=warning)})


class PersonalizationRuleShown(Output):
    """A rule of a personalization."""

    id: Id
    experience_key: str
    name: str | None
    targeting: Annotated[Any, AsStored(Targeting | None)]


class Personalization(Output):
    """A personalization with its experiences, rules and goals."""

    id: Id
    key: str
    name: str
    description: str | None
    status: Status
    delivery_type: DeliveryType
    surface: str
    environment_key: str
    priority: int
    rollout_percentage: float
    targeting: Annotated[Any, AsStored(Targeting | None)]
    experiences: list[PersonalizationExperience]
    rules: list[PersonalizationRuleShown]
    personalization_goals: list[PersonalizationGoal]
    publication_warning: PublicationWarning = ABSENT
    created_at: DateTime
    updated_at: DateTime

    @classmethod
    def of(cls, stored: Aggregate, warning: PublicationWarning | None = None) -> Self:
        """Return the response of a personalization."""
        return cls(
            **{name: getattr(stored, name) for name in _SAME_NAME},
            experiences=[PersonalizationExperience.of(experience) for experience in stored.experiences],
            rules=[
                PersonalizationRuleShown(
                    id=rule.id, experience_key=rule.experience_key, name=rule.name, targeting=rule.targeting
                )
                for rule in stored.rules
            ],
            personalization_goals=[PersonalizationGoal.of(goal) for goal in stored.goals],
            **present(publication_warning=warning),
        ).at(stored.version)


class PersonalizationPriority(Output):
    """Priority of a personalization: the lower number is served first."""

    id: Id
    key: str
    name: str
    priority: int


class PersonalizationOrder(Output):
    """The personalizations whose order was set."""

    data: list[PersonalizationPriority]
    publication_warning: PublicationWarning = ABSENT

    @classmethod
    def of(cls, ordered: Sequence[Aggregate], warning: PublicationWarning | None = None) -> Self:
        """Personalizations in the order of their priorities."""
        data = [
            PersonalizationPriority(id=item.id, key=item.key, name=item.name, priority=item.priority)
            for item in ordered
        ]
        return cls(data=data, **present(publication_warning=warning))


class ShipInput(Input):
    """The winner, by id or public id. Name and key default to `<experiment>: <variation>` and `ship-<public id>`."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"variation_id": "4711081542"}]})

    variation_id: Annotated[str, Field(min_length=1, max_length=36)]
    name: Name = ABSENT
    key: Key = ABSENT


class Shipped(Output):
    """The personalization that shows the winner to everyone."""

    personalization: Personalization


_OF_EXPERIENCE = frozenset(PersonalizationExperience.model_fields) - {"publication_warning"}
_SAME_NAME = frozenset(Personalization.model_fields) - {
    "experiences",
    "rules",
    "personalization_goals",
    "publication_warning",
}
