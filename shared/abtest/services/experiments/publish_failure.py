"""The failure of a publication that the caller of an action must know about."""

from collections.abc import Sequence

from abtest.contract.experiments import Experiment as Answer
from abtest.domain.experiments.model import Experiment
from abtest.kit.errors import ServiceError
from abtest.services.aggregates import Saved


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


def or_fail(saved: Saved[Experiment]) -> Saved[Experiment]:
    """The saved experiment; raises PostCommitPublishFailedError where the caller must know that storefronts lack it."""
    if saved.reasons:
        raise PostCommitPublishFailedError(saved.value, saved.reasons)
    return saved
