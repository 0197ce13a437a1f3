"""Sending of due deliveries of one endpoint: by one worker at a time, a few at once, within a time budget.

The lease keeps workers from crowding at an endpoint, so that a hanging receiver occupies only one of them. It does not
prevent a second attempt at the same delivery; the claim does, a write that only one of two workers can make. A claim
that is found under the lease is one whose worker no longer holds it: after `CLAIM_HELD` its attempt counts as lost.
"""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta

from abtest.domain.webhooks import deliveries
from abtest.domain.webhooks.deliveries import Delivery
from abtest.domain.webhooks.endpoint import Webhook
from abtest.kit.clock import parse_timestamp, timestamp
from abtest.kit.errors import NotFoundError
from abtest.ports.deliveries import DeliveryStore
from abtest.ports.http_sender import HttpSender
from abtest.ports.limits import Leases
from abtest.ports.metrics import Metrics
from abtest.ports.sealer import SealBrokenError, Sealer
from abtest.services.context import World
from abtest.services.leases import Lease, LeaseLostError, lease
from abtest.services.webhooks.attempt_metrics import measured
from abtest.services.webhooks.attempts import Attempts, Receiver
from abtest.services.webhooks.notification import WorkerNotifier
from abtest.services.webhooks.records import read_endpoint_health

AT_ONCE = 8
"""Exchanges with one endpoint at the same time."""

BUDGET = timedelta(seconds=45)
"""No round begins later. One takes 15 s and a little, so the function outlives it."""

SLOW = timedelta(seconds=5)
"""An endpoint whose round takes longer gives its worker up to others before the next."""

LEASE_SECONDS = 30
"""Time after which the endpoint of a killed worker is free, so that the next sweep's call finds it so."""

SKEW = timedelta(seconds=2)
"""How far the clocks of two machines may differ: a notification may arrive this long before its delivery is due."""

_log = logging.getLogger(__name__)

Senders = Callable[[], AbstractContextManager[HttpSender]]
"""Opens a sender that keeps its connections until the context ends."""


def lease_name(webhook_id: str) -> str:
    """Name the lease of an endpoint's worker; its holder looks for more work before it leaves."""
    return f"webhook#{webhook_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Drain:
    """Sender of due deliveries. `senders` obeys the rules for customers' addresses; `metrics` counts attempts."""

    world: World
    store: DeliveryStore
    leases: Leases
    sealer: Sealer
    notifier: WorkerNotifier
    senders: Senders
    metrics: Metrics | None = None

    def run(self, shop_id: str, webhook_id: str) -> None:
        """Send what is due for an endpoint, unless another worker does: that one looks again before it leaves.

        Raises DatabaseBusyError and SealingUnavailableError: then the message has to come again.
        """
        clock = self.world.clock
        until = clock.now() + BUDGET
        while True:
            # A new owner for each turn: a late release of an earlier turn must not end this one.
            name, owner = lease_name(webhook_id), self.world.new_id()
            try:
                with lease(self.leases, name, owner=owner, clock=clock, seconds=LEASE_SECONDS) as held:
                    if held is None:
                        return
                    is_done = self.run_rounds(shop_id, webhook_id, until, held)
            except LeaseLostError:
                return  # its new holder looks for more work before it leaves
            if not is_done:
                self.notifier.deliveries_due(shop_id, webhook_id)
                return
            # A delivery that was added before the lease was given back brought no notification of its own.
            now = clock.now()
            soon = self.store.due(webhook_id, timestamp(now + SKEW), limit=1)
            if not soon:
                return
            if not soon[0].is_claimable(timestamp(now)):
                self.notify_when_due(soon)
                return

    def run_rounds(self, shop_id: str, webhook_id: str, until: datetime, held: Lease) -> bool:
        """Send what is due, round by round. Return False when the endpoint is slow or time ran out before the end.

        Raises LeaseLostError between two rounds.
        """
        with self.senders() as sender, ThreadPoolExecutor(AT_ONCE, thread_name_prefix="webhook") as pool:
            while due := self.store.due(webhook_id, self.world.now(), limit=AT_ONCE):
                began = self.world.clock.now()
                if began >= until:
                    return False
                held.check()
                # Read again for each round, so that a disabled endpoint or a rotated secret takes effect within
                # seconds.
                self.run_round(pool, self.receiver(shop_id, webhook_id), sender, due)
                if self.world.clock.now() - began > SLOW:
                    return False
                if len(due) < AT_ONCE:
                    break  # a look for more follows, once the lease is given back
        return True

    def run_round(self, pool: Executor, receiver: Receiver, sender: HttpSender, due: Sequence[Delivery]) -> None:
        """Attempt these deliveries: those about one subject in order, others in parallel."""
        attempts = Attempts(world=self.world, store=self.store, receiver=receiver, sender=sender)
        enough = self.world.clock.now() + SLOW

        def one_after_another(some: Sequence[Delivery]) -> None:
            for delivery in some:
                # The rest stays due: a slow receiver must not hold the round, and with it the lease, for a whole chain.
                if delivery is some[0] or self.world.clock.now() <= enough:
                    attempts.make(delivery)

        try:
            # The list is consumed because `map` raises an error of a thread only when its result is read.
            list(pool.map(one_after_another, deliveries.by_subject(due)))
        finally:
            if self.metrics and (numbers := measured(attempts.recorded)):
                self.metrics.put(numbers)
            self.notify_when_due([delivery for delivery in attempts.recorded if delivery.status == "failed"])

    def notify_when_due(self, waiting: Sequence[Delivery]) -> None:
        """Send one notification for each second in which some of these deliveries of an endpoint will be due."""
        now = self.world.clock.now()
        moments = {delivery.due_at for delivery in waiting if delivery.due_at}
        # Rounded up: a notification that arrives early finds nothing due, and another one must follow it.
        for seconds in sorted({-((now - parse_timestamp(moment)) // timedelta(seconds=1)) for moment in moments}):
            self.notifier.deliveries_due(waiting[0].shop_id, waiting[0].webhook_id, timedelta(seconds=seconds))

    def receiver(self, shop_id: str, webhook_id: str) -> Receiver:
        """Read the endpoint and open its secrets."""
        try:
            endpoint = read_endpoint_health(self.world.catalog, self.store, shop_id, webhook_id)
        except NotFoundError:
            return Receiver(endpoint=None)
        return Receiver(endpoint=endpoint, secrets=self.open_secrets(endpoint.webhook))

    def open_secrets(self, webhook: Webhook) -> tuple[str, ...]:
        """Return the secrets that sign now, the newest first; none when the newest cannot be opened."""
        context = {"shop_id": webhook.shop_id, "webhook_id": webhook.id}
        secrets: list[str] = []
        for index, sealed in enumerate(webhook.secrets_at(self.world.now())):
            try:
                secret = self.sealer.open(sealed, context)
            except SealBrokenError:
                _log.exception("webhook.secret_not_opened", extra=context)
                # A request signed with the previous secret alone fails at every receiver that has changed to the new
                # one.
                if index == 0:
                    return ()
            else:
                secrets.append(secret)
        return tuple(secrets)
