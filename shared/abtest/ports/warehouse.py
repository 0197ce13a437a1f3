"""Counting over the ledger: the same question, asked of an engine that is embedded or one that is far away."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from abtest.domain.ledger.counting import CountingPlan, Counts


class LoadedLedger(Protocol):
    """Rows that can be counted."""

    def count(self, plan: CountingPlan) -> Counts:
        """Exactly what `domain.ledger.fold.count` says of the same rows, for one of the loaded plans."""
        ...


class Warehouse(Protocol):
    """An engine over the raw ledger."""

    def load(self, keys: Sequence[str], plans: Sequence[CountingPlan]) -> AbstractContextManager[LoadedLedger]:
        """The rows of these ledger objects as far as the plans need them; freed when the context ends."""
        ...
