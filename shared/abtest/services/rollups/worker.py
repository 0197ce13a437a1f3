"""Worker of the roll-up queue: a message is one shop to count, one unit of a divided shop, or a requested refresh."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from abtest.ports.queue import Queue, QueueUnavailableError
from abtest.ports.warehouse import UnitsAtWorkError
from abtest.services.decisions.messages import decision_messages
from abtest.services.rollups.messages import CountMessage, InvalidMessageError, UnitMessage, read_message
from abtest.services.rollups.refresh import Refresh
from abtest.services.rollups.shop_run import ShopHeldError, ShopRun
from abtest.services.rollups.unit_run import UnitRun

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountWorker:
    """Handler of messages. One that is lost costs time only: the dispatcher sends another while the shop is behind."""

    run: ShopRun
    units: UnitRun | None
    refresh: Refresh
    queue: Queue
    decisions: Queue

    def handle(self, body: str, until: datetime | None = None) -> bool:
        """Carry out a message. Return False when the queue must deliver it again."""
        try:
            message = read_message(body)
        except InvalidMessageError:
            return self.refresh.handle(body, until)
        if isinstance(message, UnitMessage):
            # An engine that counts shops of any size has no units: a message is left from another one.
            return self.units.run(message, until) if self.units else True
        try:
            summary = self.run.run(message.shop_id, head=message.head, listed_at=message.listed_at, until=until)
        except ShopHeldError:
            # What its holder does not count, the dispatcher announces again.
            _log.info("rollup.held", extra={"shop_id": message.shop_id})
            return True
        except UnitsAtWorkError:
            return True  # the last of them sends for the shop
        if summary.written:
            self._announce(message.shop_id, sorted(summary.written))
        if not summary.is_whole and not summary.failed:
            # The rest goes behind the messages of other shops.
            self._send(message)
        return True

    def _announce(self, shop_id: str, record_ids: Sequence[str]) -> None:
        """Call for decisions about new counts. Without these messages the schedules come to them later."""
        try:
            self.decisions.send_many(list(decision_messages(shop_id, ("autostop", "guardian"), record_ids)))
        except QueueUnavailableError:
            _log.warning("rollup.not_announced", extra={"shop_id": shop_id})

    def _send(self, message: CountMessage) -> None:
        try:
            self.queue.send(message.encoded(), group=message.shop_id)
        except QueueUnavailableError:
            _log.warning("rollup.rest_not_sent", extra={"shop_id": message.shop_id})
