"""Publication for actions that change nothing: at most once a second and shop, so that a loop of them is cheap.

Such an action publishes only because an earlier publication may have failed. It need not where one that began after the
last change has just succeeded.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from time import sleep
from typing import Protocol, TypeVar

from abtest.kit.clock import Timestamp
from abtest.kit.errors import DatabaseBusyError, ItemTooLargeError
from abtest.ports.catalog import OutboxRow
from abtest.ports.limits import Leases, Sessions
from abtest.services.aggregates import Saved
from abtest.services.context import World
from abtest.services.leases import lease
from abtest.services.resources import Aggregate
from abtest.services.storefronts import KnownOutcome, Outcome, Storefronts, failures_of

INTERVAL = timedelta(seconds=1)
LEASE_SECONDS = 8
"""Time for which a killed holder keeps others waiting. Two publications at once do no harm, so no minute is needed."""
PAUSES = tuple(min(0.05 * 1.5**number, INTERVAL.total_seconds() / 2) for number in range(27))
"""Pauses in which a caller waits for the publication of another: 11.5 s, which outlasts the lease of a killed one.

Shorter than INTERVAL, so that no caller misses that the publication has been done.
"""
LATE = "another publication of the shop has not ended yet"


class Published(Aggregate, Protocol):
    """Aggregate of a shop that storefronts get."""

    @property
    def shop_id(self) -> str: ...


V = TypeVar("V", bound=Published)
Begin = Callable[[], OutboxRow | None]
"""Commit of what belongs to a publication, before it; called only if there is one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Republication:
    """Use case of repeating the publication of a shop. A failure is not remembered: the next action tries again."""

    world: World
    storefronts: Storefronts
    leases: Leases
    sessions: Sessions

    def of_unchanged(self, value: V) -> Saved[V]:
        """Publish an aggregate that an action did not change, unless that has just been done."""
        return Saved(value, failures_of(self.publish(value.shop_id, value.updated_at)), changed=False)

    def publish(self, shop_id: str, changed_at: Timestamp, begin: Begin = lambda: None) -> Outcome:
        """Publish what changed at `changed_at`, unless that has just been done; then return the outcome of that."""
        try:
            return self._publish_once(shop_id, changed_at, begin)
        except DatabaseBusyError:
            # The store of leases only saves publications, so without it each caller makes its own.
            return self.storefronts.publish(shop_id, begin())

    def _publish_once(self, shop_id: str, changed_at: Timestamp, begin: Begin) -> Outcome:
        name, world = f"republication#{shop_id}", self.world
        for pause in (0.0, *PAUSES):
            sleep(pause)
            if outcome := self._just_done(name, changed_at):
                return outcome
            with lease(
                self.leases, name, owner=world.unrepeated_id(), clock=world.clock, seconds=LEASE_SECONDS
            ) as held:
                if held is not None:
                    return self._just_done(name, changed_at) or self._publish(name, shop_id, begin)
        return KnownOutcome(reasons=[LATE])

    def _just_done(self, name: str, changed_at: Timestamp) -> Outcome | None:
        last = self.sessions.get(name, now=self.world.clock.now())
        # Within one millisecond the order is not known.
        if last is None or last["began_at"] <= changed_at:
            return None
        return KnownOutcome(ok=True, reasons=last.get("reasons", ()), revision=last.get("revision"))

    def _publish(self, name: str, shop_id: str, begin: Begin) -> Outcome:
        row = begin()
        began_at = self.world.now()
        outcome = self.storefronts.publish(shop_id, row)
        if outcome.ok:
            note = {"began_at": began_at, "reasons": [*outcome.reasons], "revision": outcome.revision}
            # Where the note fails, the next action publishes once more, which does no harm.
            with contextlib.suppress(DatabaseBusyError, ItemTooLargeError):
                self.sessions.put(name, note, expires_at=self.world.clock.now() + INTERVAL)
        return outcome
