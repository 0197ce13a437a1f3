"""Shapes of what a published config decides about (section 1 of docs/data-model.md); readers still expect any JSON."""

from collections.abc import Mapping
from typing import Literal, NotRequired, TypedDict

from abtest.domain.goals.shapes import GoalCapture
from abtest.domain.targeting.shapes import CompiledAudience, CompiledPage, CompiledPages, CompiledUrlRule, Dark


class PublishedGoal(TypedDict):
    """A goal as far as browsers need it."""

    id: str
    type: str
    once: bool
    event: NotRequired[str]
    selector: NotRequired[str]
    text: NotRequired[str]
    url: NotRequired[CompiledUrlRule]
    pages: NotRequired[CompiledPage]
    capture: NotRequired[list[GoalCapture]]


class PublishedMutation(TypedDict):
    """A change to elements, normalised. It has the field of its action; a null removes an attribute."""

    selector: str
    action: str
    kind: NotRequired[int]
    text: NotRequired[str]
    html: NotRequired[str]
    styles: NotRequired[dict[str, str]]
    attributes: NotRequired[dict[str, str | None]]


class PublishedBlock(TypedDict):
    """Content of a variation on the pages of one rule."""

    rules: CompiledPage
    mutations: NotRequired[list[PublishedMutation]]
    css: NotRequired[str]
    js: NotRequired[str]


class PublishedVariation(TypedDict):
    """A variation and its range of buckets."""

    id: str
    name: str
    range: list[int]
    control: NotRequired[bool]
    mutations: NotRequired[list[PublishedMutation]]
    css: NotRequired[str]
    js: NotRequired[str]
    blocks: NotRequired[list[PublishedBlock]]
    redirect_url: NotRequired[str]


class PublishedGroup(TypedDict):
    """Membership of an experiment in an exclusion group."""

    id: str
    epoch: int
    state: int
    ranges: list[list[int]]


class OnPages(TypedDict, total=False):
    """Pages and audience of something that is delivered; absent ones restrict nothing."""

    pages: CompiledPages
    audience: CompiledAudience


class Restricted(OnPages):
    """The same with the days on which it is not delivered."""

    dark: NotRequired[Dark]


class PublishedExperiment(Restricted):
    """A running experiment."""

    id: str
    name: str
    type: str
    epoch: int
    state: int
    surface: NotRequired[str]
    group: NotRequired[PublishedGroup]
    identity: NotRequired[Literal["customer"]]
    served: NotRequired[Literal[True]]
    css: NotRequired[str]
    js: NotRequired[str]
    reset_js: NotRequired[str]
    variations: list[PublishedVariation]
    goals: list[PublishedGoal]


class PublishedExperience(TypedDict):
    """Content of a personalization."""

    id: str
    key: str
    name: str
    value: NotRequired[object]
    mutations: NotRequired[list[PublishedMutation]]
    css: NotRequired[str]
    js: NotRequired[str]
    reset_js: NotRequired[str]
    hide: NotRequired[list[str]]
    profile: NotRequired[str]


class PublishedRule(OnPages):
    """Pages and audience of an experience, which its key names."""

    experience: str


class RolledOut(Restricted):
    """Something that is rolled out to a share of the visitors."""

    id: str
    key: str
    state: int
    below: int


class PublishedPersonalization(RolledOut):
    """An active personalization."""

    name: str
    type: str
    surface: NotRequired[str]
    rules: NotRequired[list[PublishedRule]]
    experiences: list[PublishedExperience]
    goals: list[PublishedGoal]


class PublishedFlag(RolledOut):
    """An active or paused flag. Its values are any JSON."""

    on: object
    off: object
    paused: NotRequired[bool]


class PublishedShare(TypedDict):
    """A share of the visitors in bucket units."""

    state: int
    below: int


class PublishedHoldout(PublishedShare):
    """Visitors who get no experiment."""

    epoch: int


class Decided(TypedDict):
    """The part of a config that decisions read."""

    shop_id: NotRequired[str]
    zones: NotRequired[list[str]]
    holdout: NotRequired[PublishedHoldout]
    experiments: list[PublishedExperiment]
    personalizations: NotRequired[list[PublishedPersonalization]]
    flags: NotRequired[list[PublishedFlag]]


Force = Mapping[str, object]
"""Variations by experiment, as an id or an index, of any JSON type."""


class AssignmentAnswer(TypedDict):
    """An assignment as section 2.1 has it."""

    experiment_id: str
    variation_id: str
    variation_index: int
    assignment_epoch: int
    is_control: bool
    active: bool
    forced: NotRequired[bool]
    sticky: NotRequired[bool]
    identity: NotRequired[Literal["customer"]]


class PersonalizationAnswer(TypedDict):
    """An experience as section 2.1 has it."""

    personalization_id: str
    experience_id: str
    experience_key: str
    shown: bool


class FlagAnswer(TypedDict):
    """The value of a flag, any JSON, and the rule that gave it."""

    value: object
    reason: str


class DecisionAnswer(TypedDict):
    """Everything that was decided about a visitor."""

    cohort: str | None
    assignments: list[AssignmentAnswer]
    personalizations: list[PersonalizationAnswer]
    flags: dict[str, FlagAnswer]


class StampRecord(TypedDict):
    """An assignment in a signed hand-off."""

    experiment_id: str
    variation_id: str
    assignment_epoch: int


class HandoffRecord(TypedDict):
    """A signed hand-off to a cart."""

    shop_id: str
    cart_id: str
    user_id: str | None
    assignments: list[StampRecord]
    issued_at: str
    expires_at: str
