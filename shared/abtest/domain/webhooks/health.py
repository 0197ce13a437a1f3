"""How an endpoint bears up: deliveries in a row that died, and since when nothing is sent to it any more."""

from dataclasses import dataclass, replace

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

    @property
    def is_disabled(self) -> bool:
        """Whether failures have stopped it."""
        return self.disabled_at is not None

    def after_delivered(self) -> "Health":
        """After something arrived. One that was disabled meanwhile stays so until somebody enables it."""
        return self if self.consecutive_failures == 0 else self._changed(0, self.disabled_at)

    def after_dead(self, now: Timestamp) -> "Health":
        """After a delivery was given up."""
        failures = self.consecutive_failures + 1
        disabled_at = self.disabled_at or (now if failures >= DISABLED_AFTER else None)
        return self._changed(failures, disabled_at)

    def enabled(self) -> "Health":
        """After somebody said that it is well again."""
        return self if self == Health(version=self.version) else self._changed(0, None)

    def _changed(self, failures: int, disabled_at: Timestamp | None) -> "Health":
        return replace(self, consecutive_failures=failures, disabled_at=disabled_at, version=self.version + 1)


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
