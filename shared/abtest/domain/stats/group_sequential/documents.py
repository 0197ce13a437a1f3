"""Shapes of designs and of tests after their looks as they are stored, without numpy and scipy."""

from typing import Literal, NotRequired, TypedDict

Family = Literal["obrien_fleming", "pocock", "hwang_shih_decani"]
Sides = Literal[1, 2]
Ending = Literal["better", "worse", "not_significant"]


class SpendingDocument(TypedDict):
    """A spending function as it is stored."""

    family: Family
    gamma: float | None


class FutilityDocument(TypedDict):
    """Futility as it is stored."""

    beta: float
    drift: float
    spending: SpendingDocument


class DesignDocument(TypedDict):
    """A design as it is stored."""

    alpha: float
    sides: Sides
    spending: SpendingDocument
    futility: NotRequired[FutilityDocument]


class LookDocument(TypedDict):
    """A look that spent error. `place` is where in the spending function it was taken: 1 for a last look.

    `upper` and `futility` are boundaries of z, null where there is none; `spent` is the error of one side so far.
    """

    fraction: float
    place: float
    upper: float | None
    futility: float | None
    spent: float
    z: float


class State(TypedDict):
    """A test after its looks, as JSON values. `planned_information` is frozen with the design."""

    design: DesignDocument
    planned_information: float
    looks: list[LookDocument]
    ended: Ending | None


class FamilyState(TypedDict):
    """Treatments after their looks, as JSON values. `design` has the alpha of the whole family."""

    design: DesignDocument
    treatments: dict[str, State]
