"""Shapes and words of explanations, the same in `storefront/svc.d.ts`; docs/explanations.md describes them."""

from collections.abc import Mapping
from typing import Literal, NotRequired, TypedDict

from abtest.domain.assignment.decision import Reason

Step = Literal[
    "bot",
    "consent",
    "unreadable",
    "forced",
    "served",
    "no_id",
    "holdout",
    "exclusion_group",
    "sticky",
    "traffic",
    "surface",
    "weekday",
    "audience",
    "page_rule",
    "trigger",
    "surface_taken",
    "no_experience",
    "paused",
    "assigned",
]
"""Steps of decisions. `bot` and `consent` are steps of browsers, where nothing is decided before them."""

By = Literal["forced", "served", "sticky", "hash"]
Detail = Mapping[str, object]


class Settled(TypedDict):
    """The step that settled a decision, and what it compared."""

    step: Step
    detail: Detail


class AssignedVariation(TypedDict):
    """The variation of a visitor, and what selected it."""

    id: str
    index: int
    by: By


class AssignedExperience(TypedDict):
    """The experience of a visitor."""

    id: str
    key: str


class ExperimentOutcome(Settled):
    """Outcome of an experiment: whether it is shown on the page, and the visitor's variation, shown or not."""

    applied: bool
    assigned: AssignedVariation | None


class PersonalizationOutcome(Settled):
    """Outcome of a personalization: whether it is shown, and the experience, also of visitors outside the rollout."""

    applied: bool
    assigned: AssignedExperience | None


class FlagOutcome(Settled):
    """Outcome of a flag: whether it is on, and an excerpt of its value. Without a reason nothing was decided."""

    applied: bool
    value: object
    reason: Reason | None


class ExplainedExperiment(ExperimentOutcome):
    """Explanation of an experiment."""

    id: object
    name: object


class ExplainedPersonalization(PersonalizationOutcome):
    """Explanation of a personalization."""

    id: object
    key: object
    name: object


class ExplainedFlag(FlagOutcome):
    """Explanation of a flag."""

    id: object
    key: object


class Explanation(TypedDict):
    """Explanation of all decisions about one visitor on one page view, in the config's order."""

    experiments: list[ExplainedExperiment]
    personalizations: list[ExplainedPersonalization]
    flags: list[ExplainedFlag]


class Draw(TypedDict):
    """A bucket, and the ranges of buckets, one of them must hold it."""

    bucket: int
    ranges: list[list[int]]
    identity: NotRequired[Literal["customer"]]
