"""Differences between two counts of one experiment, or two days of a shop, number by number."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from abtest.domain.ledger.cells import Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A number as stored (`standing`) and as counted; `where` names table and cell."""

    where: str
    standing: Any
    counted: Any


def differences(stored: Counts, counted: Counts) -> Iterator[Difference]:
    """Yield every number in which the stored counts differ from the counted ones; a missing number is None."""
    yield from _each("visitors", stored.visitors, counted.visitors)
    for name in ("goals", "money", "spread", "covariate_steps"):
        left, right = getattr(stored, name), getattr(counted, name)
        for goal_id in sorted(left.keys() | right.keys()):
            yield from _each(f"{name} {goal_id}", left.get(goal_id, {}), right.get(goal_id, {}))
    before, now = stored.covariates, counted.covariates
    for goal_id in sorted(before.keys() | now.keys()):
        yield from _by_variation(f"covariates {goal_id}", before.get(goal_id, {}), now.get(goal_id, {}))
    yield from _by_variation("sessions", stored.sessions, counted.sessions)
    for name in ("multiple_exposure", "through"):
        yield from _each(name, {"": getattr(stored, name)}, {"": getattr(counted, name)})


def day_differences(stored: Mapping[str, Any], counted: Mapping[str, Any]) -> Iterator[Difference]:
    """Yield every field in which two documents of a shop's day differ, except generation and time."""
    for name in counted:
        if name not in ("generation", "computed_at") and stored.get(name) != counted[name]:
            yield Difference(where=name, standing=stored.get(name), counted=counted[name])


def _by_variation(name: str, left: Mapping[str, Any], right: Mapping[str, Any]) -> Iterator[Difference]:
    yield from _each(name, *({(key,): value for key, value in side.items()} for side in (left, right)))


def _each(name: str, left: Mapping[Any, Any], right: Mapping[Any, Any]) -> Iterator[Difference]:
    for cell in sorted(left.keys() | right.keys(), key=str):
        if left.get(cell) != right.get(cell):
            where = f"{name} {'|'.join(map(str, cell))}".strip()
            yield Difference(where=where, standing=left.get(cell), counted=right.get(cell))
