"""Listing of a shop's quarantined events, newest first, read directly from the objects that hold them.

A page costs a bounded number of reads: names sort by descending time, and a filter that few events pass gives short
pages, each with a cursor that continues the list.
"""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from abtest.domain.ledger.aside import AsideLine
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.objects import quarantine_prefix, quarantined_at
from abtest.kit import canonical_json
from abtest.kit.clock import Clock, to_milliseconds
from abtest.ports.blobs import Blobs

KEPT_MS = 14 * DAY_MS
OBJECTS_A_PAGE = 50


class Position(NamedTuple):
    """Line of an object; a cursor names the last line that was returned or read."""

    key: str
    line: int

    @classmethod
    def read(cls, text: str) -> "Position":
        """Parse what `str` wrote."""
        line, _, key = text.partition(" ")
        return cls(key, int(line))

    def __str__(self) -> str:
        return f"{self.line} {self.key}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Aside:
    """Quarantined event. `received_at` is in Unix milliseconds; `sample` is the beginning of what was sent, as text."""

    event_id: str | None
    received_at: int
    reason: str
    sample: str


@dataclass(frozen=True, slots=True)
class Quarantined:
    """Use case behind the listing."""

    ledger: Blobs
    clock: Clock

    def page(
        self, shop_id: str, *, reason: str | None, since: int | None, limit: int, after: str | None
    ) -> tuple[list[Aside], str | None]:
        """Events received from `since` on (Unix milliseconds), at most 14 days ago, and the cursor that continues."""
        now = to_milliseconds(self.clock.now())
        begins = max(now - KEPT_MS, since or 0)
        start = Position.read(after) if after else None
        matching: list[tuple[Position, Aside]] = []
        looked_at = start
        for count, key in enumerate(self._keys(shop_id, begins, now, start)):
            if count == OBJECTS_A_PAGE:
                return [aside for _, aside in matching], str(looked_at)
            skipped = start.line + 1 if start and start.key == key else 0
            lines = self._lines(key, shop_id)
            matching += (
                (Position(key, number), aside)
                for number, aside in enumerate(lines)
                if number >= skipped and aside.received_at >= begins and reason in (None, aside.reason)
            )
            # One more than the page was found, so a cursor never leads to an empty page here.
            if len(matching) > limit:
                return [aside for _, aside in matching[:limit]], str(matching[limit - 1][0])
            looked_at = Position(key, len(lines) - 1)
        return [aside for _, aside in matching], None

    def _keys(self, shop_id: str, begins: int, now: int, start: Position | None) -> Iterator[str]:
        """Names of the shop's objects from the start position on, newest first."""
        moment = now
        if start is not None:
            moment = quarantined_at(start.key)
            # Listings begin behind a name, but the object of the cursor may have lines left.
            yield start.key
        while moment // DAY_MS >= begins // DAY_MS:
            prefix = quarantine_prefix(shop_id, moment)
            after = start.key if start and start.key.startswith(prefix) else None
            for entry in self.ledger.list(prefix, after=after):
                # Names sort by descending time, so all that follow are older as well.
                if quarantined_at(entry.key) < begins:
                    break
                yield entry.key
            moment -= DAY_MS

    def _lines(self, key: str, shop_id: str) -> list[Aside]:
        """Events in an object, newest first; none where it expired meanwhile."""
        blob = self.ledger.get(key)
        lines = gzip.decompress(blob.content).splitlines() if blob else ()
        read: Iterator[AsideLine] = (canonical_json.loads(line) for line in lines)
        asides = [
            Aside(
                event_id=line["event_id"], received_at=line["received_at"], reason=line["reason"], sample=line["sample"]
            )
            for line in read
            if line["shop_id"] == shop_id
        ]
        # A stable sort: the line number of a cursor means the same event at each reading.
        return sorted(asides, key=lambda aside: -aside.received_at)
