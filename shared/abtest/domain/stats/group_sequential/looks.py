"""Looks at a running test: a pure function from the state after earlier looks to the state after this one."""

from collections.abc import Mapping, Sequence
from math import inf, isfinite, sqrt
from typing import Literal, NamedTuple

from abtest.domain.stats.group_sequential.boundaries import LEAST_STEP, Boundary, boundaries
from abtest.domain.stats.group_sequential.design import Design, design_of
from abtest.domain.stats.group_sequential.documents import LookDocument, State
from abtest.domain.stats.samples import Interval

Kind = Literal["better", "worse", "not_significant", "futile", "goes_on", "no_new_information", "ended_before"]

MESSAGES: Mapping[Kind, str] = {
    "better": "the treatment is ahead by more than the boundary of this look: the test ends",
    "worse": "the treatment is behind by more than the boundary of this look: the test ends",
    "not_significant": "this was the last look, and its boundary was not reached: the test ends",
    "futile": "the treatment is not likely to win: the test may be given up, or go on without harm",
    "goes_on": "no boundary of this look was reached: the test goes on",
    "no_new_information": "there is no more information than at the look before: nothing was tested or spent",
    "ended_before": "the test ended at an earlier look, and a later one cannot change that",
}


class Outcome(NamedTuple):
    """Result of one look. `interval` is the repeated confidence interval of the difference, valid at every look.

    It excludes zero exactly where the boundary is reached. `boundary` and `interval` are None where nothing was tested,
    the interval also where the boundary is infinite.
    """

    kind: Kind
    boundary: Boundary | None = None
    interval: Interval | None = None

    @property
    def message(self) -> str:
        """Result as a sentence."""
        return MESSAGES[self.kind]


def started(design: Design, planned_information: float) -> State:
    """Return the state before the first look. Raises ValueError for planned information that is not positive."""
    if not (isfinite(planned_information) and planned_information > 0):
        raise ValueError("planned_information must be a positive number")
    return {"design": design.document(), "planned_information": planned_information, "looks": [], "ended": None}


def look(state: State, information: float, z: float, *, is_last: bool = False) -> tuple[State, Outcome]:
    """Return the state after a look, and its outcome. The same arguments give the same values.

    `information` is 1 / Var(difference) so far, `z` the difference times its root. The fraction of the planned
    information decides what is spent. Less or equal information than before (refunds, a second look at the same data)
    spends nothing and tests nothing. A look at or beyond the planned information is the last one, and spends all that
    is left at its actual fraction; so does one with `is_last`, below the planned information too. Without new
    information a last look takes the place of the one before. Raises ValueError for information that is negative or
    not finite, or a z that is not finite.
    """
    if state["ended"]:
        return state, Outcome("ended_before")
    after = recorded(state, information, z, is_last=is_last)
    if after is state:
        return state, Outcome("no_new_information")
    design, latest = design_of(after["design"]), after["looks"][-1]
    bound = boundary_of(latest)
    kind = _kind(bound, z, design, is_last=latest["place"] >= 1)
    ended = kind if kind in ("better", "worse", "not_significant") else None
    return {**after, "ended": ended}, Outcome(kind, bound, repeated_interval(z, information, bound.upper))


def recorded(state: State, information: float, z: float, *, is_last: bool) -> State:
    """Return the state with this look's boundary and z, whatever z is; the same state if the look tests nothing.

    Raises ValueError as `look` does.
    """
    if not (isfinite(information) and information >= 0):
        raise ValueError("information must be a number of at least 0")
    if not isfinite(z):
        raise ValueError("z must be a finite number")
    fraction = information / state["planned_information"]
    earlier = state["looks"]
    latest = earlier[-1] if earlier else None
    if latest and latest["place"] >= 1:
        return state
    if fraction < (latest["fraction"] if latest else 0.0) + LEAST_STEP:
        if not (is_last and latest):
            return state
        earlier, fraction = earlier[:-1], latest["fraction"]
    place = 1.0 if is_last or fraction >= 1 else fraction
    fractions = [*(one["fraction"] for one in earlier), fraction]
    places = [*(one["place"] for one in earlier), place]
    bound = boundaries(fractions, design_of(state["design"]), spending_at=places)[-1]
    return {**state, "looks": [*earlier, _document(bound, place, z)]}


def repeated_interval(z: float, information: float, upper: float) -> Interval | None:
    """Return the interval of the difference at a look whose boundary is `upper`; None where that is infinite.

    Source: Jennison, Turnbull: Journal of the Royal Statistical Society B 51 (1989) 305-361.
    """
    if upper == inf:
        return None
    root = sqrt(information)
    return Interval((z - upper) / root, (z + upper) / root)


def boundary_of(document: LookDocument) -> Boundary:
    """Return the boundary of a stored look."""
    upper, futility = document["upper"], document["futility"]
    return Boundary(
        fraction=document["fraction"],
        upper=inf if upper is None else upper,
        spent=document["spent"],
        futility=-inf if futility is None else futility,
    )


def bounds_of(looks: Sequence[LookDocument]) -> list[Boundary]:
    """Return the boundaries of stored looks."""
    return [boundary_of(document) for document in looks]


def _document(bound: Boundary, place: float, z: float) -> LookDocument:
    return {
        "fraction": bound.fraction,
        "place": place,
        "upper": bound.upper if isfinite(bound.upper) else None,
        "futility": bound.futility if isfinite(bound.futility) else None,
        "spent": bound.spent,
        "z": z,
    }


def _kind(bound: Boundary, z: float, design: Design, *, is_last: bool) -> Kind:
    if z >= bound.upper:
        return "better"
    if design.sides == 2 and z <= -bound.upper:
        return "worse"
    if is_last:
        return "not_significant"
    return "futile" if z <= bound.futility else "goes_on"
