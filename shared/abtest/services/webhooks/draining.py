"""Sending what is due for one endpoint: by one worker at a time, a few at once, and not for long.

The lease keeps workers from crowding at an endpoint, so that one that hangs occupies one of them. It is not what
keeps an attempt from being made twice: that is the claim, a write that only one of two can make.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from abtest.domain.webhooks import deliveries
from abtest.domain.webhooks.deliveries import Delivery
from abtest.domain.webhooks.endpoint import Sealed, Webhook
from abtest.kit.clock import parse_timestamp, timestamp
from abtest.kit.errors import NotFoundError
from abtest.ports.deliveries import DeliveryStore
from abtest.ports.http_sender import HttpSender
from abtest.ports.limits import Leases
from abtest.ports.metrics import Metrics
from abtest.ports.sealer import SealBrokenError, Sealer
from abtest.services.context import World
from abtest.services.webhooks.attempting import Attempts, Receiver
from abtest.services.webhooks.doorbell import Doorbell
from abtest.services.webhooks.metering import measured
from abtest.services.webhooks.records import read_standing

AT_ONCE = 8
"""Exchanges with one endpoint at the same time."""

LEASE_SECONDS = 120
BUDGET = timedelta(seconds=45)
"""No round is begun later; one takes 15 s and a little, so lease and function outlive it."""

SLOW = timedelta(seconds=5)
"""An endpoint whose round takes longer gives its worker up to others before the next."""

SKEW = timedelta(seconds=2)
"""How far the clocks of two machines may differ: what is due so soon may have been rung for just now."""

_log = logging.getLogger(__name__)

Senders = Callable[[], AbstractContextManager[HttpSender]]
"""Opens a sender that keeps its connections until the context ends."""


def lease_name(webhook_id: str) -> str:
    """The lease of whoever sends to an endpoint: who holds it looks for more before leaving."""
    return f"webhook#{webhook_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drain:
    """Sends what is due. `senders` obeys the rules for addresses that customers wrote; `metrics` hears of attempts."""

    world: World
    store: DeliveryStore
    leases: Leases
    sealer: Sealer
    doorbell: Doorbell
    senders: Senders
    metrics: Metrics | None = None

    def run(self, shop_id: str, webhook_id: str) -> None:
        """Send what is due for an endpoint, unless another worker is at it: that one looks again before it leaves.

        Raises DatabaseBusyError and SealingUnavailableError: then the doorbell has to ring again.
        """
        until = self.world.clock.now() + BUDGET
        is_more = True
        while is_more:
            with self._alone_at(webhook_id) as is_mine:
                if not is_mine:
                    return
                is_done = self._rounds(shop_id, webhook_id, until)
            if not is_done:
                self.doorbell.deliveries(shop_id, webhook_id)
                return
            is_more = self._is_more(shop_id, webhook_id)

    @contextmanager
    def _alone_at(self, webhook_id: str) -> Iterator[bool]:
        name, owner = lease_name(webhook_id), self.world.new_id()
        if not self.leases.acquire(name, owner=owner, seconds=LEASE_SECONDS, now=self.world.clock.now()):
            yield False
            return
        try:
            yield True
        finally:
            self.leases.release(name, owner=owner)

    def _is_more(self, shop_id: str, webhook_id: str) -> bool:
        """Whether something is due now; the doorbell rings again for what is due as soon as clocks may differ."""
        now = self.world.clock.now()
        soon = self.store.due(webhook_id, timestamp(now + SKEW), limit=1)
        if soon and not soon[0].is_claimable(timestamp(now)):
            self._ring_for(shop_id, webhook_id, soon)
            return False
        return bool(soon)

    def _rounds(self, shop_id: str, webhook_id: str, until: datetime) -> bool:
        """Whether all that was due is done; else somebody has to go on."""
        with self.senders() as sender, ThreadPoolExecutor(AT_ONCE, thread_name_prefix="webhook") as pool:
            while due := self.store.due(webhook_id, self.world.now(), limit=AT_ONCE):
                began = self.world.clock.now()
                if began >= until:
                    return False
                self._round(pool, self._receiver(shop_id, webhook_id), sender, due)
                if self.world.clock.now() - began > SLOW:
                    return False
                if len(due) < AT_ONCE:
                    break  # a look for more follows, once the lease is given back
        return True

    def _round(self, pool: Executor, receiver: Receiver, sender: HttpSender, due: Sequence[Delivery]) -> None:
        attempts = Attempts(world=self.world, store=self.store, receiver=receiver, sender=sender)
        enough = self.world.clock.now() + SLOW

        def one_after_another(some: Sequence[Delivery]) -> None:
            for delivery in some:
                if delivery is some[0] or self.world.clock.now() <= enough:
                    attempts.make(delivery)

        try:
            list(pool.map(one_after_another, deliveries.by_subject(due)))
        finally:
            self._told(attempts.recorded)

    def _told(self, recorded: Sequence[Delivery]) -> None:
        if self.metrics and (numbers := measured(recorded)):
            self.metrics.put(numbers)
        if failed := [delivery for delivery in recorded if delivery.status == "failed"]:
            self._ring_for(failed[0].shop_id, failed[0].webhook_id, failed)

    def _ring_for(self, shop_id: str, webhook_id: str, waiting: Sequence[Delivery]) -> None:
        """Once for each second in which some of them will be due."""
        now = self.world.clock.now()
        moments = {delivery.due_at for delivery in waiting if delivery.due_at}
        for seconds in sorted({-((now - parse_timestamp(moment)) // timedelta(seconds=1)) for moment in moments}):
            self.doorbell.deliveries(shop_id, webhook_id, timedelta(seconds=seconds))

    def _receiver(self, shop_id: str, webhook_id: str) -> Receiver:
        try:
            standing = read_standing(self.world.catalog, self.store, shop_id, webhook_id)
        except NotFoundError:
            return Receiver(standing=None)
        return Receiver(standing=standing, secrets=self._secrets(standing.webhook))

    def _secrets(self, webhook: Webhook) -> tuple[str, ...]:
        """Those that sign now. None where the newest cannot be opened; one before it is left out if it cannot."""
        newest, *before = [self._opened(webhook, sealed) for sealed in webhook.secrets_at(self.world.now())]
        return (newest, *filter(None, before)) if newest else ()

    def _opened(self, webhook: Webhook, sealed: Sealed) -> str | None:
        context = {"shop_id": webhook.shop_id, "webhook_id": webhook.id}
        try:
            return self.sealer.open(sealed, context)
        except SealBrokenError:
            _log.exception("webhook.secret_not_opened", extra=context)
            return None
