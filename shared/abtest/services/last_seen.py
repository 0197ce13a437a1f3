"""Moment when events of a shop were last written to the ledger, to within ten minutes, as the worker notes it."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta

from abtest.kit.clock import Timestamp, from_milliseconds, parse_timestamp, timestamp
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.limits import Sessions

STEP = timedelta(minutes=10)
KEPT = timedelta(days=400)
MAX_REMEMBERED = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class LastSeen:
    """Store of one small document per shop, read and written at most once in ten minutes by each process."""

    sessions: Sessions
    _noted: dict[str, int] = field(default_factory=dict)

    def note(self, arrivals: Iterable[tuple[str, int]]) -> None:
        """Note that events of these shops arrived at these Unix milliseconds. A busy store gets later ones.

        The first call that fails ends it: a batch may have many shops, and each would wait for the silent store.
        """
        newest: dict[str, int] = {}
        for shop_id, moment in arrivals:
            newest[shop_id] = max(moment, newest.get(shop_id, 0))
        # Forgetting costs one more read and write a shop; not forgetting would let the memory grow for ever.
        if len(self._noted) > MAX_REMEMBERED:
            self._noted.clear()
        with suppress(DatabaseBusyError):
            for shop_id, moment in newest.items():
                if moment - self._noted.get(shop_id, 0) >= STEP // timedelta(milliseconds=1):
                    self._store(shop_id, moment)

    def of(self, shop_id: str, now: Timestamp) -> Timestamp | None:
        """Return the moment last noted; None for a shop without events for 400 days."""
        document = self.sessions.get(document_id(shop_id), now=parse_timestamp(now))
        return timestamp(from_milliseconds(document["at"])) if document else None

    def _store(self, shop_id: str, moment: int) -> None:
        at = from_milliseconds(moment)
        document = self.sessions.get(document_id(shop_id), now=at)
        # A batch that is delivered late, or again, must not set the moment back.
        if document is None or document["at"] < moment:
            self.sessions.put(document_id(shop_id), {"at": moment}, expires_at=at + KEPT)
        self._noted[shop_id] = moment


def document_id(shop_id: str) -> str:
    """Id of the shop's document in the store of sessions."""
    return f"seen#{shop_id}"
