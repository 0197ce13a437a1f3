"""A catalog where another writer is faster, and requests inside of other requests."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from abtest.ports.catalog import Commit
from tests.support.memory import MemoryCatalog

Result = TypeVar("Result")


def aside(call: Callable[[], Result]) -> Result:
    """Return the result of a call that sends a request while another one is under way in this thread."""

    def apart() -> Result:
        asyncio.set_event_loop(loop := asyncio.new_event_loop())
        try:
            return call()
        finally:
            loop.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(apart).result()


class RacedCatalog(MemoryCatalog):
    """Runs one function of `first` before each commit, as another writer would."""

    def __init__(self) -> None:
        super().__init__()
        self.first: list[Callable[[], object]] = []

    def commit(self, change: Commit) -> None:
        if self.first:
            self.first.pop(0)()
        super().commit(change)
