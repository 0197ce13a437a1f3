"""A shop's server that receives webhooks, and can be away."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from time import monotonic, sleep
from typing import Any

from tests.support.inbox import Arrival, Inbox
from tools.local.testing import free_ports

PATIENCE = 60
"""Seconds for what takes two when nobody else needs the machine."""

Row = dict[str, Any]


@dataclass
class Receiver(Inbox):
    """An inbox with an address before it is there for the first time, which processes write to in their own time."""

    port: int = field(default_factory=lambda: free_ports(1)[0])
    answer: Callable[[Arrival], int] = lambda _: HTTPStatus.NO_CONTENT

    def arrivals(self, count: int) -> list[Arrival]:
        """Of those, after so many have arrived in all, the last."""
        eventually(lambda: len(self.arrived) >= count, f"{count} arrivals")
        assert len(self.arrived) == count
        return self.arrived


def eventually(
    is_so: Callable[[], bool], what: str, found: Callable[[], object] = lambda: "", seconds: float = PATIENCE
) -> None:
    """Wait until something is so."""
    began = monotonic()
    while not is_so():
        assert monotonic() - began < seconds, f"there were never {what}; {found()}"
        sleep(0.1)
