"""Predicates joined and negated. They use loops, because all() and any() would make a generator at each call."""

from collections.abc import Callable, Iterator, Sequence
from typing import Generic, TypeVar

Subject = TypeVar("Subject")


class Every(Generic[Subject]):
    """Conjunction of predicates; true when there are none."""

    __slots__ = ("predicates",)

    def __init__(self, predicates: Sequence[Callable[[Subject], bool]]) -> None:
        self.predicates = tuple(predicates)

    def __call__(self, subject: Subject) -> bool:
        for predicate in self.predicates:  # noqa: SIM110
            if not predicate(subject):
                return False
        return True


def every(predicates: Sequence[Callable[[Subject], bool]]) -> Callable[[Subject], bool]:
    """Return the conjunction of predicates; true when there are none."""
    return predicates[0] if len(predicates) == 1 else Every(predicates)


def some(predicates: Sequence[Callable[[Subject], bool]]) -> Callable[[Subject], bool]:
    """Return the disjunction of predicates; false when there are none."""
    if len(predicates) == 1:
        return predicates[0]

    def holds(subject: Subject) -> bool:
        for predicate in predicates:  # noqa: SIM110
            if predicate(subject):
                return True
        return False

    return holds


def negated(predicate: Callable[[Subject], bool]) -> Callable[[Subject], bool]:
    """Return the negation of a predicate."""
    return lambda subject: not predicate(subject)


def parts_of(predicate: Callable[[Subject], bool]) -> Iterator[Callable[[Subject], bool]]:
    """Yield the predicates of a conjunction, nested ones too; any other predicate is its only part."""
    if isinstance(predicate, Every):
        for part in predicate.predicates:
            yield from parts_of(part)
    else:
        yield predicate
