"""What was decided for a visitor, typed, and the JSON answer of section 2.1 of docs/data-model.md."""

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
    """A visitor's variation. One that is not active shows nothing and only attributes goals."""

    experiment: PublishedExperiment
    """The experiment as the config has it."""
    variation: PublishedVariation
    """The variation as the config has it."""
    index: int
    seed: str
    """What the variation is remembered by."""
    active: bool
    forced: bool = False
    sticky: bool = False
    """The variation was remembered, not drawn."""
    by_customer: bool = False
    """The customer id was hashed, not the visitor id."""

    def document(self) -> AssignmentAnswer:
        """The assignment as JSON; what is false among the last three is left out."""
        said: AssignmentAnswer = {
            "experiment_id": self.experiment["id"],
            "variation_id": self.variation["id"],
            "variation_index": self.index,
            "assignment_epoch": self.experiment["epoch"],
            "is_control": bool(self.variation.get("control")),
            "active": self.active,
        }
        if self.forced:
            said["forced"] = True
        if self.sticky:
            said["sticky"] = True
        if self.by_customer:
            said["identity"] = "customer"
        return said


@dataclass(frozen=True, slots=True, kw_only=True)
class Personalized:
    """An experience for a visitor; not `shown` to those outside the rollout, who are measured as such."""

    personalization: PublishedPersonalization
    experience: PublishedExperience
    shown: bool

    def document(self) -> PersonalizationAnswer:
        """The personalization as JSON."""
        return {
            "personalization_id": self.personalization["id"],
            "experience_id": self.experience["id"],
            "experience_key": self.experience["key"],
            "shown": self.shown,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagValue:
    """A flag's value for a visitor, and which rule gave it."""

    flag: PublishedFlag
    value: object
    reason: Reason

    def document(self) -> FlagAnswer:
        """The value as JSON."""
        return {"value": self.value, "reason": self.reason}


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """Everything that was decided about one visitor on one page view; lists are in the config's order."""

    cohort: Cohort | None
    assignments: tuple[Assignment, ...]
    personalizations: tuple[Personalized, ...]
    flags: Mapping[str, FlagValue]

    def document(self) -> DecisionAnswer:
        """The answer as JSON."""
        return {
            "cohort": self.cohort,
            "assignments": [each.document() for each in self.assignments],
            "personalizations": [each.document() for each in self.personalizations],
            "flags": {key: value.document() for key, value in self.flags.items()},
        }

    def remembered(self) -> dict[str, str]:
        """What becomes sticky: variation ids by seed, of active assignments that were not forced."""
        return {each.seed: each.variation["id"] for each in self.assignments if each.active and not each.forced}
