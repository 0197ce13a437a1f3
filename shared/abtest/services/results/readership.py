"""Notes that results of a shop are read, so that the dispatcher counts it soon."""

import logging
from dataclasses import dataclass, field

from abtest.domain.ledger.dispatching import NOTE_MS
from abtest.kit.clock import Clock, from_milliseconds, timestamp, to_milliseconds
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.rollup_store import RollupStore

_log = logging.getLogger(__name__)

MAX_REMEMBERED = 10_000


@dataclass(frozen=True, slots=True)
class Readership:
    """Writer of notes: at most one call of the store a shop and five minutes in each process."""

    store: RollupStore
    clock: Clock
    _noted: dict[str, int] = field(default_factory=dict, init=False)

    def note(self, shop_id: str) -> None:
        """Note that someone reads the shop's results now. A store that is busy is not called for the next minutes."""
        now = to_milliseconds(self.clock.now())
        if 0 <= now - self._noted.get(shop_id, -NOTE_MS) < NOTE_MS:
            return
        if len(self._noted) >= MAX_REMEMBERED:
            self._noted.clear()
        # Remembered before the call: after an error the next request must not wait again.
        self._noted[shop_id] = now
        moment = from_milliseconds(now)
        try:
            self.store.note_read(shop_id, timestamp(moment), unless_after=timestamp(from_milliseconds(now - NOTE_MS)))
        except DatabaseBusyError:
            _log.warning("results.read_not_noted", extra={"shop_id": shop_id})
