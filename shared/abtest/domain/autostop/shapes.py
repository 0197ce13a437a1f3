"""Shapes of looks at the evidence (section 5 of docs/data-model.md, Looks)."""

from collections.abc import Mapping
from typing import NotRequired, TypedDict

FrozenMixture = Mapping[str, float]
"""`tau` of a plan, or `planned_visitors` and `alpha` of the first look."""


class Minimum(TypedDict):
    """The smallest always-valid p-value of a treatment, and the difference at that look."""

    p: float
    difference: float


class GoalState(TypedDict):
    """State of a goal after all looks. `source` is the digest of its definition.

    `harm` is the smallest one-sided p against the goal's direction, by treatment, of guardrails. `restarted_at`: the
    first look after the goal was redefined within the measurement.
    """

    source: str
    mixture: FrozenMixture
    treatments: dict[str, Minimum]
    harm: NotRequired[dict[str, float]]
    restarted_at: NotRequired[str]


class Stamp(TypedDict):
    """Measurement, generation and moment of a look."""

    experiment_id: str
    measurement_epoch: int
    generation: int
    computed_at: str


class LookState(Stamp):
    """State of a measurement after all looks."""

    looks: int
    goals: dict[str, GoalState]
    minima: dict[str, dict[str, float]]
    srm_p: float | None


class ShownTreatment(TypedDict):
    """A treatment in one look."""

    difference: float
    ci: list[float] | None
    p: float
    always_valid_p: float
    harm_p: NotRequired[float]


class Ratio(TypedDict):
    """Test of the split of visitors."""

    p: float
    running_p: float


class Look(Stamp):
    """One look."""

    alpha: float
    visitors: dict[str, int]
    goals: dict[str, dict[str, ShownTreatment]]
    srm: Ratio | None
