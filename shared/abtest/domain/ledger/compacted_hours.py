"""What an hour of the raw ledger was made of and became, as docs/data-model.md section 4 describes the document."""

from dataclasses import dataclass
from typing import Any

from abtest.domain.ledger.objects import Hour, events_file
from abtest.kit import canonical_json


class InvalidCompactedHourError(Exception):
    """The bytes describe no compacted hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactedHour:
    """The raw objects whose rows stand in the Parquet files `events`, and how many rows those hold."""

    raw: frozenset[str]
    events: tuple[str, ...]
    rows: int

    def encoded(self) -> bytes:
        """The document; equal hours have equal bytes."""
        document = {"raw": sorted(self.raw), "events": sorted(self.events), "rows": self.rows}
        return canonical_json.encode(document)


@dataclass(frozen=True, slots=True, kw_only=True)
class HourFiles:
    """An hour as it stands: its raw objects, and its document with the tag under which it may be replaced."""

    hour: Hour
    raw: tuple[str, ...] = ()
    compacted: CompactedHour | None = None
    etag: str | None = None

    @property
    def uncovered(self) -> tuple[str, ...]:
        """Raw objects that the document does not name; all of them without a document."""
        named = self.compacted.raw if self.compacted else frozenset[str]()
        return tuple(key for key in self.raw if key not in named)


def read_compacted_hour(content: bytes) -> CompactedHour:
    """The hour that a document describes. Raises InvalidCompactedHourError for anything else."""
    try:
        document: dict[str, Any] = canonical_json.loads(content)
        events = tuple(events_file(key).key for key in document["events"])
        return CompactedHour(raw=frozenset(document["raw"]), events=events, rows=int(document["rows"]))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidCompactedHourError(str(error)[:200]) from error
