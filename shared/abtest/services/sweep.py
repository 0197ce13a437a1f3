"""Repeats what was promised and not done: publications whose request died, event batches that the queue refused, jobs
whose message or worker was lost, webhooks that nobody makes or sends.

And has every shop published that this release renders otherwise.

Nothing is removed before it was handed on, so a sweep that dies leaves work for the next and at worst hands on twice;
publishing twice is harmless, and events are told apart by their ids.
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
from abtest.services.context import World
from abtest.services.jobs import OverdueJobs
from abtest.services.publication import Publication
from abtest.services.refusal_limit import count_accepted
from abtest.services.rollout import Rollout
from abtest.services.webhooks.overdue import OverdueWebhooks

LEASE, LEASE_SECONDS = "cron#sweep", 60
PATIENCE = timedelta(seconds=30)
"""How long a request is given to publish by itself before its outbox row is taken up."""

SPILL = "spill/"
_ROWS = 5000
_SPILLED_A_RUN = 500

_log = logging.getLogger(__name__)


class UnpublishedError(Exception):
    """The shop could not be published; the message stays in its queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Swept:
    """What a run handed on."""

    shops: int
    batches: int
    released: int
    """Shops that get what this release renders."""
    jobs: int
    webhooks: int
    """How often WorkerWebhooks was called again."""


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

    def run(self) -> Swept | None:
        """Hand on everything that is overdue; None when another run is at it."""
        owner = self.world.new_id()
        if not self.leases.acquire(LEASE, owner=owner, seconds=LEASE_SECONDS, now=self.world.clock.now()):
            return None
        try:
            # First these three: they bear a queue that refuses, which the others do not.
            batches, jobs, webhooks = self._spilled(), self.jobs.run(), self.webhooks.run()
            shops, released = self._publications(), self._rollout().run()
            swept = Swept(shops=shops, batches=batches, released=released, jobs=jobs, webhooks=webhooks)
        finally:
            self.leases.release(LEASE, owner=owner)
        _log.info("sweep.done", extra=asdict(swept))
        return swept

    def _rollout(self) -> Rollout:
        def message(shop_id: str) -> str:
            return publish_message(shop_id, [])

        return Rollout(blobs=self.delivery, queue=self.publish_queue, bundle=self.bundle, message=message)

    def _publications(self) -> int:
        """One message for each shop with overdue rows."""
        overdue: dict[str, list[OutboxRow]] = defaultdict(list)
        before = timestamp(self.world.clock.now() - PATIENCE)
        for row in self.world.catalog.outbox("publish", created_before=before, limit=_ROWS):
            overdue[row.shop_id].append(row)
        for shop_id, rows in overdue.items():
            self.publish_queue.send(publish_message(shop_id, rows))
        return len(overdue)

    def _spilled(self) -> int:
        queue = self.event_queue
        if queue is None:
            return 0
        spilled = islice(self.ledger.list(SPILL), _SPILLED_A_RUN)
        return count_accepted(spilled, lambda entry: self._requeue(entry.key, queue.send))

    def _requeue(self, key: str, send: Callable[[str], None]) -> bool:
        blob = self.ledger.get(key)
        if blob is None:
            return True
        try:
            send(blob.content.decode())
        except (QueueUnavailableError, UnicodeDecodeError):
            _log.warning("sweep.spill_kept", extra={"key": key}, exc_info=True)
            return False
        self.ledger.delete(key)
        return True


def publish_message(shop_id: str, rows: list[OutboxRow]) -> str:
    """The body of a message in PublishQueue: the shop, and the outbox rows that are done once it is published."""
    outbox = [{"id": row.id, "created_at": row.created_at} for row in rows]
    return canonical_json.dumps({"shop_id": shop_id, "outbox": outbox})


def publish_from_message(publication: Publication, body: str) -> None:
    """Do what a message in PublishQueue asks for, then forget its outbox rows. Raises UnpublishedError."""
    message = canonical_json.loads(body)
    shop_id = message["shop_id"]
    outcome = publication.publish(shop_id)
    if not outcome.ok and outcome.retriable:
        raise UnpublishedError("; ".join(outcome.reasons))
    for row in message.get("outbox", ()):
        publication.world.catalog.outbox_done(
            OutboxRow(id=row["id"], shop_id=shop_id, topic="publish", payload={}, created_at=row["created_at"])
        )
