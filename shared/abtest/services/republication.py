"""Publication for actions that change nothing: at most once a second and shop, so that a loop of them is cheap.

Such an action publishes only because an earlier publication may have failed. It need not where one that began after the
last change has just succeeded.
"""

import contextlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol, TypeVar

from abtest.kit.clock import Timestamp
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.limits import Leases, Sessions
from abtest.services.aggregates import Saved
from abtest.services.context import World
from abtest.services.leases import lease
from abtest.services.resources import Aggregate
from abtest.services.storefronts import Storefronts

INTERVAL = timedelta(seconds=1)
PAUSE_SECONDS = 0.05
PAUSES = 200
"""Pauses, of ten seconds together, in which a caller waits for the publication of another."""


class Published(Aggregate, Protocol):
    """Aggregate of a shop that storefronts get."""

    @property
    def shop_id(self) -> str: ...


V = TypeVar("V", bound=Published)


@dataclass(frozen=True, slots=True, kw_only=True)
class Republication:
    """Use case of repeating the publication of a shop. A failure is not remembered: the next action tries again."""

    world: World
    storefronts: Storefronts
    leases: Leases
    sessions: Sessions

    def of_unchanged(self, value: V) -> Saved[V]:
        """Publish an aggregate that an action did not change, unless that has just been done."""
        return Saved(value, self.refresh(value.shop_id, value.updated_at), changed=False)

    def refresh(self, shop_id: str, changed_at: Timestamp) -> Sequence[str]:
        """Publish what changed at `changed_at`, unless that has just been done.

        Return why storefronts may not have it yet; empty when they do.
        """
        name = f"republication#{shop_id}"
        for _ in range(PAUSES):
            if self._is_done(name, changed_at):
                return []
            with lease(self.leases, name, owner=self.world.new_id(), clock=self.world.clock) as held:
                if held is not None:
                    return [] if self._is_done(name, changed_at) else self._publish(name, shop_id)
            time.sleep(PAUSE_SECONDS)
        return ["another publication of the shop did not end in time"]

    def _is_done(self, name: str, changed_at: Timestamp) -> bool:
        last = self.sessions.get(name, now=self.world.clock.now())
        # Within one millisecond the order is not known.
        return last is not None and last["began_at"] > changed_at

    def _publish(self, name: str, shop_id: str) -> Sequence[str]:
        began_at = self.world.now()
        reasons = self.storefronts.refresh(shop_id)
        if not reasons:
            # Where the note fails, the next action publishes once more, which does no harm.
            with contextlib.suppress(DatabaseBusyError):
                self.sessions.put(name, {"began_at": began_at}, expires_at=self.world.clock.now() + INTERVAL)
        return reasons
