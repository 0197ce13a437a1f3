"""Limit of refusals in one run: each refusal of a queue may take seconds."""

from collections.abc import Callable, Iterable
from typing import TypeVar

MAX_REFUSALS = 5
"""A queue that refuses so often in a run is left alone until the next one."""

T = TypeVar("T")


def count_accepted(items: Iterable[T], send: Callable[[T], bool]) -> int:
    """Send items until MAX_REFUSALS of them were refused, and count the accepted; `send` returns whether it was."""
    accepted = refused = 0
    for item in items:
        if send(item):
            accepted += 1
        else:
            refused += 1
        if refused == MAX_REFUSALS:
            break
    return accepted
