"""Publication after a commit that shoppers could notice, for every kind of resource."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from abtest.contract.base import PUBLICATION_INCOMPLETE, PublicationWarning
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.catalog import Catalog, OutboxRow


class Outcome(Protocol):
    """Result of a publication."""

    @property
    def ok(self) -> bool: ...

    @property
    def reasons(self) -> Sequence[str]: ...

    @property
    def revision(self) -> int | None: ...


class Publisher(Protocol):
    """Publisher of a shop's configuration, implemented by `abtest.services.publication`."""

    def publish(self, shop_id: str) -> Outcome:
        """Publish what is stored now."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownOutcome:
    """Outcome without a publication: of one that another caller made, or of one that could not be made."""

    ok: bool = False
    reasons: Sequence[str] = ()
    revision: int | None = None


class Refreshes(Protocol):
    """Publisher of shops after commits, now or later."""

    def refresh(self, shop_id: str, row: OutboxRow | None = None) -> Sequence[str]:
        """Publish the shop. Return why storefronts may not have it yet; empty when they do, or will."""
        ...


class Storefronts:
    """Publishes after commits and marks the outbox row as done; the sweep repeats what fails here."""

    def __init__(self, catalog: Catalog, publisher: Publisher) -> None:
        self._catalog = catalog
        self._publisher = publisher

    def publish(self, shop_id: str, row: OutboxRow | None = None) -> Outcome:
        """Publish the shop. Never raises for a store that fails: the commit is stored."""
        try:
            outcome = self._publisher.publish(shop_id)
        except DatabaseBusyError as error:
            return KnownOutcome(reasons=[error.message])
        if outcome.ok and row is not None:
            # Where the mark fails, the sweep publishes once more, which does no harm.
            with contextlib.suppress(DatabaseBusyError):
                self._catalog.outbox_done(row)
        return outcome

    def refresh(self, shop_id: str, row: OutboxRow | None = None) -> Sequence[str]:
        """Publish the shop. Return why storefronts may not have it yet; empty when they do."""
        return failures_of(self.publish(shop_id, row))


def failures_of(outcome: Outcome) -> Sequence[str]:
    """Return why storefronts may not have the present state yet; empty when they do."""
    return [] if outcome.ok else list(outcome.reasons) or ["publication failed"]


def warning_of(reasons: Sequence[str]) -> PublicationWarning | None:
    """Return the warning in the response to a write; None when its publication succeeded."""
    return PUBLICATION_INCOMPLETE if reasons else None
