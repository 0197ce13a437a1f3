"""Repetition of unfinished work: publications whose request died, event batches that the queue refused, jobs whose
message or worker was lost, webhooks whose notification was lost, assets that were never completed or were deleted.

It also has every shop published that this release renders differently.

Work is removed only after it was sent on, so a sweep that dies leaves it for the next and at worst sends it twice.
Publishing twice is harmless, and events are distinguished by their ids.
"""

import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import timedelta
from itertools import islice

from abtest.kit import canonical_json
from abtest.kit.clock import timestamp
from abtest.ports.blobs import Blobs
from abtest.ports.catalog import OutboxRow
from abtest.ports.limits import Leases
from abtest.ports.queue import Queue, QueueUnavailableError
from abtest.services.assets.overdue import OverdueFiles
from abtest.services.context import World
from abtest.services.jobs import OverdueJobs
from abtest.services.leases import Lease, LeaseLostError, lease
from abtest.services.pages.promises import is_due, is_promise, promise_message
from abtest.services.publication import Publication
from abtest.services.publish_requests import publish_message
from abtest.services.refusal_limit import count_accepted
from abtest.services.rollout import Rollout
from abtest.services.webhooks.overdue import OverdueWebhooks

LEASE = "cron#sweep"
PATIENCE = timedelta(seconds=30)
"""How long a request may take to publish by itself before the sweep publishes for its outbox row."""

SPILL = "spill/"
_ROWS = 5000
_SPILLED_A_RUN = 500

_log = logging.getLogger(__name__)


class UnpublishedError(Exception):
    """The shop could not be published; the message stays in its queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """Numbers of what a run sent on."""

    shops: int
    batches: int
    released: int
    """Shops that get this release's rendering."""
    jobs: int
    webhooks: int
    """Repeated notifications to WorkerWebhooks."""
    assets: int
    """Assets that were never completed, or whose files were removed after their deletion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """One run a minute. `event_queue` is None where events are not queued; then nothing can have spilled."""

    world: World
    leases: Leases
    ledger: Blobs
    delivery: Blobs
    bundle: Callable[[], str]
    publish_queue: Queue
    event_queue: Queue | None
    jobs: OverdueJobs
    webhooks: OverdueWebhooks
    files: OverdueFiles

    def run(self) -> Swept | None:
        """Send on everything that is overdue; None while another run works."""
        owner, clock = self.world.new_id(), self.world.clock
        try:
            with lease(self.leases, LEASE, owner=owner, clock=clock) as held:
                if held is None:
                    return None
                swept = self.sweep(held)
        except LeaseLostError:
            return None
        _log.info("sweep.done", extra=asdict(swept))
        return swept

    def sweep(self, held: Lease) -> Swept:
        """Send on everything that is overdue. Raises LeaseLostError."""
        # These three come first: they tolerate a queue that refuses, which the others do not.
        batches, jobs, webhooks = self.requeue_spilled(held), self.jobs.run(), self.webhooks.run()
        held.check()
        rollout = Rollout(
            blobs=self.delivery,
            queue=self.publish_queue,
            bundle=self.bundle,
            message=lambda shop_id: publish_message(shop_id, []),
        )
        shops, released = self.request_publications(), rollout.run()
        # Last: files that stay a minute longer harm no one.
        assets = self.files.run(held.check)
        return Swept(shops=shops, batches=batches, released=released, jobs=jobs, webhooks=webhooks, assets=assets)

    def request_publications(self) -> int:
        """Send a message for each overdue publish of a page and for each shop with other rows; return these shops."""
        overdue: dict[str, list[OutboxRow]] = defaultdict(list)
        before = timestamp(self.world.clock.now() - PATIENCE)
        for row in self.world.catalog.outbox("publish", created_before=before, limit=_ROWS):
            if is_promise(row):
                if is_due(row, self.world.clock.now()):
                    self.publish_queue.send(promise_message(row))
            else:
                overdue[row.shop_id].append(row)
        for shop_id, rows in overdue.items():
            self.publish_queue.send(publish_message(shop_id, rows))
        return len(overdue)

    def requeue_spilled(self, held: Lease) -> int:
        """Send event batches that the queue refused before, and return their number."""
        queue = self.event_queue
        if queue is None:
            return 0
        spilled = islice(self.ledger.list(SPILL), _SPILLED_A_RUN)
        return count_accepted(spilled, lambda entry: self.requeue(entry.key, queue.send, held))

    def requeue(self, key: str, send: Callable[[str], None], held: Lease) -> bool:
        """Send one spilled batch and delete it. Return False when it could not be sent."""
        held.check()
        blob = self.ledger.get(key)
        # Sent and deleted since the listing began.
        if blob is None:
            return True
        try:
            send(blob.content.decode())
        # A damaged object must not keep the others back; it stays for an operator.
        except (QueueUnavailableError, UnicodeDecodeError):
            _log.warning("sweep.spill_kept", extra={"key": key}, exc_info=True)
            return False
        # Only after it was sent: a run that dies in between sends it twice, and copies are dropped by event id.
        self.ledger.delete(key)
        return True


def publish_from_message(publication: Publication, body: str) -> None:
    """Publish the shop that a message in PublishQueue names, then remove its outbox rows. Raises UnpublishedError."""
    message = canonical_json.loads(body)
    shop_id = message["shop_id"]
    outcome = publication.publish(shop_id)
    if not outcome.ok and outcome.retriable:
        raise UnpublishedError("; ".join(outcome.reasons))
    # Reached by failures that no repetition can mend as well: their rows would be sent again for ever.
    for row in message.get("outbox", ()):
        publication.world.catalog.outbox_done(
            OutboxRow(id=row["id"], shop_id=shop_id, topic="publish", payload={}, created_at=row["created_at"])
        )
