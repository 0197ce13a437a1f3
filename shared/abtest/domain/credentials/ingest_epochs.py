"""Epochs of a shop's ingest secret: each rotation begins one, and the former epoch is valid for a grace.

The epoch is an input of the derivation, so no secret is stored. A shop whose secret was never rotated has no claim.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta

from abtest.kit.clock import Timestamp, later

FIRST = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestEpochs:
    """Current epoch of a shop, and the end of the former one's grace."""

    current: int = FIRST
    former_until: Timestamp | None = None

    def live(self, now: Timestamp) -> tuple[int, ...]:
        """Return the epochs whose secrets are valid at a moment, the newest first."""
        has_former = self.former_until is not None and now < self.former_until
        return (self.current, self.current - 1) if has_former else (self.current,)

    def rotated(self, grace_seconds: int, now: Timestamp) -> "IngestEpochs":
        """Return the next epoch. The current one is valid for the grace, and any earlier one no longer."""
        return IngestEpochs(current=self.current + 1, former_until=later(now, timedelta(seconds=grace_seconds)))


def claim_name(shop_id: str) -> str:
    """Return the service-wide unique name whose claim has the epochs, for readers that may read nothing else."""
    return f"INGEST#{shop_id}"


def claim_attributes(epochs: IngestEpochs) -> dict[str, str | None]:
    """Return the attributes of the claim."""
    return {"epoch": str(epochs.current), "former_until": epochs.former_until}


def from_claim(attributes: Mapping[str, str | None] | None) -> IngestEpochs:
    """Return the epochs of a claim; the first one without a claim."""
    if attributes is None:
        return IngestEpochs()
    return IngestEpochs(current=int(attributes["epoch"] or FIRST), former_until=attributes.get("former_until"))
