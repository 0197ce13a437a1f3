"""What is said of an experiment's publication, above all when it fails."""

from collections.abc import Sequence
from dataclasses import dataclass

from abtest.contract.base import PublicationWarning
from abtest.contract.experiments import Experiment as Answer
from abtest.domain.experiments.model import Experiment
from abtest.kit.errors import ServiceError
from abtest.ports.catalog import Catalog, OutboxRow
from abtest.services.storefronts import Publisher, Storefronts, warning_of


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
        return warning_of(self.reasons)

    def or_fail(self) -> Experiment:
        """The experiment; raises PostCommitPublishFailedError where the caller must know."""
        if self.reasons:
            raise PostCommitPublishFailedError(self.experiment, self.reasons)
        return self.experiment


class Publishing:
    """Publishes the shop of an experiment that was written."""

    def __init__(self, catalog: Catalog, publisher: Publisher) -> None:
        self._storefronts = Storefronts(catalog, publisher)

    def publish(self, experiment: Experiment, row: OutboxRow | None = None) -> Published:
        """Publish the experiment's shop. Never raises for a store that fails: the commit stands."""
        return Published(experiment, self._storefronts.refresh(experiment.shop_id, row))
