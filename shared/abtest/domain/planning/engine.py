"""Test that a plan is sized for, with its looks and its spending functions, and its form in frozen plans."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from abtest.domain.planning.planned_looks import MOST_PLANNED_LOOKS
from abtest.domain.planning.sample_size import CannotBePlannedError
from abtest.domain.planning.shapes import PlanEngine, PlannedSpending, Snapshot
from abtest.domain.stats.group_sequential.spending import OBRIEN_FLEMING, Spending

DEFAULT_LOOKS = 28
"""Looks of a group-sequential plan where its days are not known: one a day for four weeks."""

FEWEST_DEFAULT_LOOKS, MOST_DEFAULT_LOOKS = 7, 60
OF_LOOKS = ("spending", "futility", "looks")
"""Fields that only a group-sequential plan has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedEngine:
    """`engine` of a plan. The other fields are those of group-sequential plans; `looks` None: not chosen yet."""

    engine: PlanEngine = "fixed"
    spending: Spending = OBRIEN_FLEMING
    futility: Spending | None = None
    looks: int | None = None

    def with_looks(self, days_of_one_look: float | None) -> "PlannedEngine":
        """Return the engine with its looks: those chosen, else one a day, between a week and `MOST_DEFAULT_LOOKS`.

        `days_of_one_look`: duration of a test with a single look; None where the traffic is not known.
        """
        if self.engine != "group_sequential" or self.looks is not None:
            return self
        days = DEFAULT_LOOKS if days_of_one_look is None else ceil(min(days_of_one_look, MOST_DEFAULT_LOOKS))
        return replace(self, looks=max(FEWEST_DEFAULT_LOOKS, days))

    def check_days(self, days: float | None) -> None:
        """Raise CannotBePlannedError for more looks than days; `days` of the plan, None where they are not known."""
        if self.looks is None or days is None or self.looks <= max(1, ceil(days)):
            return
        whole = max(1, ceil(days))
        raise CannotBePlannedError(
            "looks", f"must be at most {whole}, one look a day: with this traffic the test takes {days:.1f} days"
        )

    def document(self) -> Snapshot:
        """Return the fields of a frozen plan."""
        is_by_looks = self.engine == "group_sequential"
        return {
            "engine": self.engine,
            "spending": _document(self.spending) if is_by_looks else None,
            "futility": _document(self.futility) if is_by_looks and self.futility else None,
            "looks": self.looks if is_by_looks else None,
        }


FIXED = PlannedEngine()


def requested_engine(given: Mapping[str, Any], default: PlanEngine = "fixed") -> PlannedEngine:
    """Return the engine of a request with any of `engine`, `spending`, `futility`, `looks`.

    Raises CannotBePlannedError naming the field: for one that the engine does not have, for a gamma without its family
    or a family without its gamma, for looks out of range.
    """
    engine = given.get("engine", default)
    for name in OF_LOOKS:
        if engine != "group_sequential" and given.get(name) is not None:
            raise CannotBePlannedError(name, f"must be sent with the engine group_sequential only, not with {engine}")
    looks = given.get("looks")
    if looks is not None and not 1 <= looks <= MOST_PLANNED_LOOKS:
        raise CannotBePlannedError("looks", f"must be between 1 and {MOST_PLANNED_LOOKS}")
    return PlannedEngine(
        engine=engine,
        spending=_spending("spending", given.get("spending")) or OBRIEN_FLEMING,
        futility=_spending("futility", given.get("futility")),
        looks=looks,
    )


def engine_of(snapshot: Snapshot) -> PlannedEngine:
    """Return the engine of a frozen plan; plans of older releases are sized for one look.

    Raises CannotBePlannedError where the stored fields do not belong together.
    """
    return requested_engine({name: value for name, value in snapshot.items() if name in ("engine", *OF_LOOKS)})


def _spending(field: str, given: PlannedSpending | None) -> Spending | None:
    if given is None:
        return None
    try:
        return Spending(family=given["family"], gamma=given.get("gamma"))
    except ValueError as error:
        raise CannotBePlannedError(f"{field}.gamma", str(error).removeprefix("gamma ")) from error


def _document(spending: Spending) -> PlannedSpending:
    return {"family": spending.family, "gamma": spending.gamma}
