"""Handing things on to a queue that may refuse: each refusal may take seconds, so a run bears only a few."""

from collections.abc import Callable, Iterable
from typing import TypeVar

REFUSALS_BORNE = 5
"""A queue that refuses so often in a run is left alone until the next."""

T = TypeVar("T")


def handed_on(things: Iterable[T], hand_on: Callable[[T], bool]) -> int:
    """How many were taken, until the queue has refused too often; `hand_on` says whether it took one."""
    taken = refused = 0
    for thing in things:
        if hand_on(thing):
            taken += 1
        else:
            refused += 1
        if refused == REFUSALS_BORNE:
            break
    return taken
