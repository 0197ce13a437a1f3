"""A catalog where another writer is faster."""

from collections.abc import Callable

from abtest.ports.catalog import Commit
from tests.support.memory import MemoryCatalog


class RacedCatalog(MemoryCatalog):
    """Runs one function of `first` before each commit, as another writer would."""

    def __init__(self) -> None:
        super().__init__()
        self.first: list[Callable[[], object]] = []

    def commit(self, change: Commit) -> None:
        if self.first:
            self.first.pop(0)()
        super().commit(change)
