"""The document of a compacted hour: its raw objects and its Parquet files (docs/data-model.md, section 4)."""

from dataclasses import dataclass
from typing import Any

from abtest.domain.ledger.objects import Hour, events_file
from abtest.kit import canonical_json


class InvalidCompactedHourError(Exception):
    """The bytes are not the document of a compacted hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactedHour:
    """The raw objects whose rows are in the Parquet files `events`, and the number of these rows."""

    raw: frozenset[str]
    events: tuple[str, ...]
    rows: int

    def encoded(self) -> bytes:
        """Return the document; equal hours have equal bytes."""
        document = {"raw": sorted(self.raw), "events": sorted(self.events), "rows": self.rows}
        return canonical_json.encode(document)


@dataclass(frozen=True, slots=True, kw_only=True)
class HourFiles:
    """An hour as stored: its raw objects, and its document with the tag under which it may be replaced."""

    hour: Hour
    raw: tuple[str, ...] = ()
    compacted: CompactedHour | None = None
    etag: str | None = None

    @property
    def uncovered(self) -> tuple[str, ...]:
        """Return the raw objects that the document does not name; all of them without a document."""
        named = self.compacted.raw if self.compacted else frozenset[str]()
        return tuple(key for key in self.raw if key not in named)


def read_compacted_hour(content: bytes) -> CompactedHour:
    """Read the document of an hour. Raises InvalidCompactedHourError for anything else."""
    try:
        document: dict[str, Any] = canonical_json.loads(content)
        # Each key is parsed, so that a damaged document cannot name objects of other zones.
        events = tuple(events_file(key).key for key in document["events"])
        return CompactedHour(raw=frozenset(document["raw"]), events=events, rows=int(document["rows"]))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidCompactedHourError(str(error)[:200]) from error
