"""What follows a commit that shoppers could notice: publication, and what is said when it fails."""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from abtest.contract.base import PUBLICATION_INCOMPLETE, PublicationWarning
from abtest.contract.experiments import Experiment as Answer
from abtest.domain.experiments.model import Experiment
from abtest.kit.errors import DatabaseBusyError, ServiceError
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


class PostCommitPublishFailedError(ServiceError):
    """The change is committed, its publication failed."""

    status = 502
    code = "commerce_plane_post_commit_publish_failed"

    def __init__(self, committed: Experiment, reasons: Sequence[str]) -> None:
        summary = "The change is saved, but storefronts may still show the previous configuration."
        super().__init__(
            "the experiment was changed, but publishing it to storefronts failed; call retry-publication",
            extra={
                "persisted": True,
                "retriable": True,
                "committed": Answer.single(committed).model_dump(mode="json", exclude_unset=True),
                "refresh": {
                    "id": "storefront_publication",
                    "label": "Storefront publication",
                    "status": "error",
                    "summary": summary,
                    "details": list(reasons),
                    "retriable": True,
                },
                "reasons": list(reasons),
            },
        )


@dataclass(frozen=True, slots=True)
class Published:
    """An experiment that is stored, and why storefronts may not know it yet: empty when they do."""

    experiment: Experiment
    reasons: Sequence[str] = ()

    @property
    def warning(self) -> PublicationWarning | None:
        """What lesser writes add to their answer."""
        return PUBLICATION_INCOMPLETE if self.reasons else None

    def or_fail(self) -> Experiment:
        """The experiment; raises PostCommitPublishFailedError where the caller must know."""
        if self.reasons:
            raise PostCommitPublishFailedError(self.experiment, self.reasons)
        return self.experiment


class Publishing:
    """Publishes after commits and ticks the outbox row off; what fails here the sweep repeats."""

    def __init__(self, catalog: Catalog, publisher: Publisher) -> None:
        self._catalog = catalog
        self._publisher = publisher

    def publish(self, experiment: Experiment, row: OutboxRow | None = None) -> Published:
        """Publish the experiment's shop. Never raises for a store that fails: the commit stands."""
        reasons = self._failures(experiment.shop_id)
        if not reasons and row is not None:
            with contextlib.suppress(DatabaseBusyError):
                self._catalog.outbox_done(row)
        return Published(experiment, reasons)

    def _failures(self, shop_id: str) -> Sequence[str]:
        try:
            outcome = self._publisher.publish(shop_id)
        except DatabaseBusyError as error:
            return [error.message]
        return [] if outcome.ok else list(outcome.reasons) or ["publication failed"]
