"""When events of a shop were last written to the ledger, to within ten minutes: the worker notes it as it goes."""

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
    """One small document a shop, read and written at most once in ten minutes by each process that notes."""

    sessions: Sessions
    _noted: dict[str, int] = field(default_factory=dict)

    def note(self, arrivals: Iterable[tuple[str, int]]) -> None:
        """Events of these shops arrived at these Unix milliseconds. A store that is busy hears of later ones."""
        newest: dict[str, int] = {}
        for shop_id, moment in arrivals:
            newest[shop_id] = max(moment, newest.get(shop_id, 0))
        if len(self._noted) > MAX_REMEMBERED:
            self._noted.clear()
        for shop_id, moment in newest.items():
            if moment - self._noted.get(shop_id, 0) >= STEP // timedelta(milliseconds=1):
                with suppress(DatabaseBusyError):
                    self._keep(shop_id, moment)

    def of(self, shop_id: str, now: Timestamp) -> Timestamp | None:
        """The moment last noted; None for a shop that was not heard of for 400 days."""
        found = self.sessions.get(_name(shop_id), now=parse_timestamp(now))
        return timestamp(from_milliseconds(found["at"])) if found else None

    def _keep(self, shop_id: str, moment: int) -> None:
        """A batch that is delivered late, or again, takes nothing back."""
        at = from_milliseconds(moment)
        found = self.sessions.get(_name(shop_id), now=at)
        if found is None or found["at"] < moment:
            self.sessions.put(_name(shop_id), {"at": moment}, expires_at=at + KEPT)
        self._noted[shop_id] = moment


def _name(shop_id: str) -> str:
    return f"seen#{shop_id}"
