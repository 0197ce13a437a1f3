"""The documents of a compacted hour: its raw objects and Parquet files, of all shops or of one group of shops each.

An hour of few bytes has one document, an hour of many has one for each group (docs/data-model.md, section 4). Documents
of different divisions may exist for an hour. Each is true by itself, so readers take all documents that have the shop.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from abtest.domain.ledger.objects import Hour, batch_id, events_file
from abtest.domain.ledger.shop_groups import ShopGroup, division
from abtest.kit import canonical_json


class InvalidCompactedHourError(Exception):
    """The bytes are not the document of a compacted hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactedHour:
    """The raw objects whose rows, of the document's shops, are in the Parquet files `events`, and their number."""

    raw: frozenset[str]
    events: tuple[str, ...]
    rows: int

    def encoded(self) -> bytes:
        """Return the document; equal hours have equal bytes. It begins with `beginning(raw)`."""
        document = {"digest": batch_id(self.raw), "raw": sorted(self.raw), "events": sorted(self.events)}
        return canonical_json.encode(document | {"rows": self.rows})


@dataclass(frozen=True, slots=True, kw_only=True)
class HourDocument:
    """A stored document: its shops, and the tag under which it may be replaced. `compacted` is None if unreadable."""

    group: ShopGroup
    etag: str
    compacted: CompactedHour | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HourFiles:
    """An hour as stored: its raw objects with their bytes, and its documents, or those of some shops."""

    hour: Hour
    sizes: Mapping[str, int] = field(default_factory=dict)
    documents: tuple[HourDocument, ...] = ()

    @property
    def raw(self) -> tuple[str, ...]:
        """Keys of the raw objects."""
        return tuple(self.sizes)

    @property
    def uncovered(self) -> tuple[str, ...]:
        """Raw objects with rows of any shop that are in no Parquet file."""
        # The smallest groups of all divisions are parts of the others.
        smallest = max((document.group.of for document in self.documents), default=1)
        lacking: set[str] = set()
        for group in division(smallest):
            lacking |= self._lacking(
                each for each in self.documents if group.number % each.group.of == each.group.number
            )
        return tuple(key for key in self.sizes if key in lacking)

    def uncovered_of(self, shop_id: str) -> tuple[str, ...]:
        """Return the raw objects that no document with the shop names; all of them without a document."""
        lacking = self._lacking(each for each in self.documents if each.group.has(shop_id))
        return tuple(key for key in self.sizes if key in lacking)

    def document(self, group: ShopGroup) -> HourDocument | None:
        """Return the document of exactly these shops."""
        return next((each for each in self.documents if each.group == group), None)

    def _lacking(self, documents: Iterable[HourDocument]) -> set[str]:
        named = (each.compacted.raw for each in documents if each.compacted)
        return set(self.sizes).difference(*named)


def beginning(raw: Iterable[str]) -> bytes:
    """Return the first bytes of each document that names exactly these raw objects, but for those of older releases."""
    return b'{"digest":"%b"' % batch_id(raw).encode()


def read_compacted_hour(content: bytes) -> CompactedHour:
    """Read the document of an hour. Raises InvalidCompactedHourError for anything else."""
    try:
        document: dict[str, Any] = canonical_json.loads(content)
        # Each key is parsed, so that a damaged document cannot name objects of other zones.
        events = tuple(events_file(key).key for key in document["events"])
        return CompactedHour(raw=frozenset(document["raw"]), events=events, rows=int(document["rows"]))
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidCompactedHourError(str(error)[:200]) from error
