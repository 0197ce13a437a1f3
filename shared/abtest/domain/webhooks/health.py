"""How an endpoint bears up: deliveries in a row that died, and since when nothing is sent to it any more."""

from dataclasses import dataclass, replace
from typing import Any

from abtest.domain.webhooks.endpoint import Webhook
from abtest.kit.clock import Timestamp

DISABLED_AFTER = 3
"""Dead deliveries in a row that disable an endpoint."""


@dataclass(frozen=True, slots=True)
class Health:
    """What is known of an endpoint; of one that is not known yet this is all. Test deliveries never change it."""

    consecutive_failures: int = 0
    disabled_at: Timestamp | None = None
    version: int = 0
    untold: str | None = None
    """The error that disabled it, until its shop has been told."""

    @property
    def untold_since(self) -> Timestamp | None:
        """Since when the shop is to be told that it is disabled; None when there is nothing to tell."""
        return None if self.untold is None else self.disabled_at

    @property
    def is_disabled(self) -> bool:
        """Whether failures have stopped it."""
        return self.disabled_at is not None

    def after_delivered(self) -> "Health":
        """After something arrived. One that was disabled meanwhile stays so until somebody enables it."""
        return self if self.consecutive_failures == 0 else self._changed(consecutive_failures=0)

    def after_dead(self, now: Timestamp, error: str) -> "Health":
        """After a delivery was given up."""
        failures = self.consecutive_failures + 1
        if self.is_disabled or failures < DISABLED_AFTER:
            return self._changed(consecutive_failures=failures)
        return self._changed(consecutive_failures=failures, disabled_at=now, untold=error)

    def told(self) -> "Health":
        """After the shop was told that it is disabled."""
        return self._changed(untold=None)

    def enabled(self) -> "Health":
        """After somebody said that it is well again; who says so need not be told."""
        well = Health(version=self.version)
        return self if self == well else replace(well, version=self.version + 1)

    def _changed(self, **fields: Any) -> "Health":
        return replace(self, version=self.version + 1, **fields)


@dataclass(frozen=True, slots=True)
class Standing:
    """An endpoint and how it bears up."""

    webhook: Webhook
    health: Health

    @property
    def version(self) -> int:
        """Of both together: each only rises, so the sum names one state."""
        return self.webhook.version + self.health.version

    @property
    def is_active(self) -> bool:
        """Whether events are sent to it: the shop wants them, and failures have not stopped it."""
        return self.webhook.active and not self.health.is_disabled
