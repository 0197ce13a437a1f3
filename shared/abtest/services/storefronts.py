"""What follows a commit that shoppers could notice: publication. Which kind of resource was written does not matter."""

import contextlib
from collections.abc import Sequence
from typing import Protocol

from abtest.contract.base import PUBLICATION_INCOMPLETE, PublicationWarning
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.catalog import Catalog, OutboxRow


class Outcome(Protocol):
    """What became of a publication."""

    @property
    def ok(self) -> bool: ...

    @property
    def reasons(self) -> Sequence[str]: ...


class Publisher(Protocol):
    """Publishes a shop's configuration; `abtest.services.publication` does."""

    def publish(self, shop_id: str) -> Outcome:
        """Make storefronts see what is stored now."""
        ...


class Storefronts:
    """Publishes after commits and ticks the outbox row off; what fails here the sweep repeats."""

    def __init__(self, catalog: Catalog, publisher: Publisher) -> None:
        self._catalog = catalog
        self._publisher = publisher

    def refresh(self, shop_id: str, row: OutboxRow | None = None) -> Sequence[str]:
        """Publish the shop; why storefronts may not know it yet, empty when they do.

        Never raises for a store that fails: the commit stands.
        """
        reasons = self._failures(shop_id)
        if not reasons and row is not None:
            with contextlib.suppress(DatabaseBusyError):
                self._catalog.outbox_done(row)
        return reasons

    def _failures(self, shop_id: str) -> Sequence[str]:
        try:
            outcome = self._publisher.publish(shop_id)
        except DatabaseBusyError as error:
            return [error.message]
        return [] if outcome.ok else list(outcome.reasons) or ["publication failed"]


def warning_of(reasons: Sequence[str]) -> PublicationWarning | None:
    """What the answer to a write says about its publication; nothing when that went well."""
    return PUBLICATION_INCOMPLETE if reasons else None
