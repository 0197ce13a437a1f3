"""The failure of a publication that the caller of an action must know about."""

from collections.abc import Sequence

from abtest.contract.experiments import Experiment as Answer
from abtest.domain.experiments.model import Experiment
from abtest.kit.errors import ServiceError
from abtest.services.aggregates import Saved
from abtest.services.republication import LATE, LEASE_SECONDS


class PostCommitPublishFailedError(ServiceError):
    """The change is committed; its publication failed, or another one of the shop has not ended yet."""

    status = 502
    code = "commerce_plane_post_commit_publish_failed"

    def __init__(self, committed: Experiment, reasons: Sequence[str]) -> None:
        is_late = LATE in reasons
        problem = "has not ended yet" if is_late else "failed"
        summary = "The change is saved, but storefronts may still show the previous configuration."
        super().__init__(
            f"the experiment is saved, but publishing it to storefronts {problem}; call retry-publication",
            headers={"Retry-After": str(LEASE_SECONDS if is_late else 1)},
            extra={
                "persisted": True,
                "retriable": True,
                "committed": Answer.single(committed).model_dump(mode="json", exclude_unset=True),
                "refresh": {
                    "id": "storefront_publication",
                    "label": "Storefront publication",
                    "status": "warning" if is_late else "error",
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
