"""What two counts of one experiment, or two days of a shop, disagree in: number by number, in words."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from abtest.domain.ledger.cells import Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A number that stands and the number that was counted; `where` names table and cell."""

    where: str
    standing: Any
    counted: Any


def differences(standing: Counts, counted: Counts) -> Iterator[Difference]:
    """Every number in which they differ; missing is None."""
    yield from _each("visitors", standing.visitors, counted.visitors)
    for name in ("goals", "money", "spread"):
        left, right = getattr(standing, name), getattr(counted, name)
        for goal_id in sorted(left.keys() | right.keys()):
            yield from _each(f"{name} {goal_id}", left.get(goal_id, {}), right.get(goal_id, {}))
    before, now = standing.covariates, counted.covariates
    for goal_id in sorted(before.keys() | now.keys()):
        yield from _by_variation(f"covariates {goal_id}", before.get(goal_id, {}), now.get(goal_id, {}))
    yield from _by_variation("sessions", standing.sessions, counted.sessions)
    for name in ("multiple_exposure", "through"):
        yield from _each(name, {"": getattr(standing, name)}, {"": getattr(counted, name)})


def day_differences(standing: Mapping[str, Any], counted: Mapping[str, Any]) -> Iterator[Difference]:
    """Every field in which two documents of a shop's day differ but those that say when they were made."""
    for name in counted:
        if name not in ("generation", "computed_at") and standing.get(name) != counted[name]:
            yield Difference(where=name, standing=standing.get(name), counted=counted[name])


def _by_variation(name: str, left: Mapping[str, Any], right: Mapping[str, Any]) -> Iterator[Difference]:
    yield from _each(name, *({(key,): found for key, found in side.items()} for side in (left, right)))


def _each(name: str, left: Mapping[Any, Any], right: Mapping[Any, Any]) -> Iterator[Difference]:
    for cell in sorted(left.keys() | right.keys(), key=str):
        if left.get(cell) != right.get(cell):
            where = f"{name} {'|'.join(map(str, cell))}".strip()
            yield Difference(where=where, standing=left.get(cell), counted=right.get(cell))
