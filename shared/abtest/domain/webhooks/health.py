"""Delivery health of an endpoint: its dead deliveries in a row, and since when it is disabled."""

from dataclasses import dataclass, replace
from typing import Any

from abtest.domain.webhooks.endpoint import Webhook
from abtest.kit.clock import Timestamp

DISABLED_AFTER = 3
"""Dead deliveries in a row that disable an endpoint."""


@dataclass(frozen=True, slots=True)
class Health:
    """State of an endpoint; the defaults are that of a new one. Test deliveries never change it."""

    consecutive_failures: int = 0
    disabled_at: Timestamp | None = None
    version: int = 0
    unreported: str | None = None
    """The error that disabled it, until its shop is notified."""

    @property
    def unreported_since(self) -> Timestamp | None:
        """Moment since which a notice to the shop is due; None when none is."""
        return None if self.unreported is None else self.disabled_at

    @property
    def is_disabled(self) -> bool:
        """Return whether failures have disabled it."""
        return self.disabled_at is not None

    def after_delivered(self) -> "Health":
        """State after a delivery arrived. An endpoint that was disabled meanwhile stays so until it is enabled."""
        return self if self.consecutive_failures == 0 else self._changed(consecutive_failures=0)

    def after_dead(self, now: Timestamp, error: str) -> "Health":
        """State after a delivery was given up."""
        failures = self.consecutive_failures + 1
        # Deliveries that were under way may still fail; the first error and moment stay, and one notice is sent.
        if self.is_disabled or failures < DISABLED_AFTER:
            return self._changed(consecutive_failures=failures)
        return self._changed(consecutive_failures=failures, disabled_at=now, unreported=error)

    def reported(self) -> "Health":
        """State after the notice that it is disabled."""
        return self._changed(unreported=None)

    def enabled(self) -> "Health":
        """State after its shop enabled it, which makes a due notice needless."""
        well = Health(version=self.version)
        return self if self == well else replace(well, version=self.version + 1)

    def _changed(self, **fields: Any) -> "Health":
        return replace(self, version=self.version + 1, **fields)


@dataclass(frozen=True, slots=True)
class EndpointHealth:
    """Endpoint and its delivery health."""

    webhook: Webhook
    health: Health

    @property
    def version(self) -> int:
        """Version of both together: each only rises, so the sum names one state."""
        return self.webhook.version + self.health.version

    @property
    def is_active(self) -> bool:
        """Return whether events are sent to it: its shop enabled it, and failures have not disabled it."""
        return self.webhook.active and not self.health.is_disabled
