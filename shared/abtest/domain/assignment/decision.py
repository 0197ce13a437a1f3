"""Decisions for a visitor, typed, and their JSON of section 2.1 of docs/data-model.md."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from abtest.domain.assignment.shapes import (
    AssignmentAnswer,
    DecisionAnswer,
    FlagAnswer,
    PersonalizationAnswer,
    PublishedExperience,
    PublishedExperiment,
    PublishedFlag,
    PublishedPersonalization,
    PublishedVariation,
)

Cohort = Literal["active", "holdout"]
Reason = Literal["paused", "dark", "targeting", "rollout", "on"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """Variation of a visitor. One that is not active shows nothing and only attributes goals."""

    experiment: PublishedExperiment
    """The experiment as the config has it."""
    variation: PublishedVariation
    """The variation as the config has it."""
    index: int
    seed: str
    """Key under which the visitor's variation is remembered."""
    active: bool
    forced: bool = False
    sticky: bool = False
    """The variation was remembered, not drawn."""
    by_customer: bool = False
    """The customer id was hashed, not the visitor id."""

    def document(self) -> AssignmentAnswer:
        """Return the assignment as JSON, without those of its last three fields that are false."""
        answer: AssignmentAnswer = {
            "experiment_id": self.experiment["id"],
            "variation_id": self.variation["id"],
            "variation_index": self.index,
            "assignment_epoch": self.experiment["epoch"],
            "is_control": bool(self.variation.get("control")),
            "active": self.active,
        }
        if self.forced:
            answer["forced"] = True
        if self.sticky:
            answer["sticky"] = True
        if self.by_customer:
            answer["identity"] = "customer"
        return answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Personalized:
    """Experience of a visitor; visitors outside the rollout are measured but not `shown` it."""

    personalization: PublishedPersonalization
    experience: PublishedExperience
    shown: bool

    def document(self) -> PersonalizationAnswer:
        """Return the personalization as JSON."""
        return {
            "personalization_id": self.personalization["id"],
            "experience_id": self.experience["id"],
            "experience_key": self.experience["key"],
            "shown": self.shown,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagValue:
    """Value of a flag for a visitor, and the rule that decided it."""

    flag: PublishedFlag
    value: object
    reason: Reason

    def document(self) -> FlagAnswer:
        """Return the value as JSON."""
        return {"value": self.value, "reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """All decisions about one visitor on one page view; lists are in the config's order."""

    cohort: Cohort | None
    assignments: tuple[Assignment, ...]
    personalizations: tuple[Personalized, ...]
    flags: Mapping[str, FlagValue]

    def document(self) -> DecisionAnswer:
        """Return the decision as JSON."""
        return {
            "cohort": self.cohort,
            "assignments": [each.document() for each in self.assignments],
            "personalizations": [each.document() for each in self.personalizations],
            "flags": {key: value.document() for key, value in self.flags.items()},
        }

    def remembered(self) -> dict[str, str]:
        """Return variation ids by seed, of active assignments that were not forced; they become sticky."""
        return {each.seed: each.variation["id"] for each in self.assignments if each.active and not each.forced}
