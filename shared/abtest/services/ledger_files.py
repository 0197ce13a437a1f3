"""Objects that hold each part of the ledger: Parquet for compacted hours, raw for the rest.

Readers take the union and drop copies of a row, so an outdated listing is never wrong, only older.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from abtest.domain.ledger.compacted_hours import (
    HourDocument,
    HourFiles,
    InvalidCompactedHourError,
    read_compacted_hour,
)
from abtest.domain.ledger.events import HOUR_MS
from abtest.domain.ledger.margins import RECEIVED_MS
from abtest.domain.ledger.objects import (
    COMPACTED,
    RAW,
    Hour,
    ShopFiles,
    compacted_day,
    compacted_key,
    days_between,
    events_prefix,
    group_of_key,
    hour_of,
    hour_of_key,
    is_raw,
    raw_day,
    raw_hour,
    raw_start,
)
from abtest.domain.ledger.shop_groups import ShopGroup
from abtest.ports.blobs import BlobEntry, Blobs

_log = logging.getLogger(__name__)

AT_ONCE = 16
"""Documents and listings that are read at the same time."""

Key = TypeVar("Key")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedHour:
    """An hour by its listings: the bytes of its raw objects by key, and the shops of its documents."""

    hour: Hour
    sizes: Mapping[str, int]
    groups: Sequence[ShopGroup]


@dataclass(frozen=True, slots=True)
class LedgerFiles:
    """Listings of the ledger's bucket. Every call may raise BlobsUnavailableError."""

    ledger: Blobs

    def of_shop(self, shop_id: str, since_ms: int) -> ShopFiles:
        """Objects that hold the shop's rows received at or after the moment, and earlier ones of the same hours."""
        hours = self._since(hour_of(since_ms - RECEIVED_MS), lambda group: group.has(shop_id))
        return ShopFiles(
            parquet=_parquet(hours, shop_id),
            raw=tuple(key for hour in hours for key in hour.uncovered_of(shop_id)),
        )

    def uncovered(self, since_ms: int) -> tuple[str, ...]:
        """Raw objects with rows of any shop, received at or after the moment, that are in no Parquet file."""
        hours = self._since(hour_of(since_ms - RECEIVED_MS), lambda _: True)
        return tuple(key for hour in hours for key in hour.uncovered)

    def raw_since(self, moment: int) -> list[str]:
        """Every raw object that may hold rows received at or after the moment, compacted or not, oldest hour first."""
        return [entry.key for entry in self._raw(RAW, after=raw_start(moment))]

    def listed(self, first: Hour, last: Hour) -> list[ListedHour]:
        """Each hour from the first to the last (both included) that has raw objects, in order; reads no object."""
        days = list(days_between(first, last))
        raw = _by_hour(entry for entries in _parallel(lambda day: self._raw(raw_day(day)), days) for entry in entries)
        groups = _groups(
            key for keys in _parallel(lambda day: self._documents(compacted_day(day)), days) for key in keys
        )
        return [
            ListedHour(hour=hour, sizes=raw[hour], groups=groups.get(hour, ()))
            for hour in sorted(raw)
            if first <= hour <= last
        ]

    def hours(self, first: Hour, last: Hour) -> list[HourFiles]:
        """Each hour from the first to the last (both included) that has raw objects, with its documents, in order."""
        return self.read([(hour.hour, hour.sizes, hour.groups) for hour in self.listed(first, last)])

    def hour(self, hour: Hour, *groups: ShopGroup) -> HourFiles:
        """One hour with the documents of these groups, or with all."""
        (read,) = self.read([(hour, self.sizes(hour), groups or self.groups(hour))])
        return read

    def sizes(self, hour: Hour) -> Mapping[str, int]:
        """Bytes of the raw objects of one hour, by key."""
        return {entry.key: entry.size for entry in self._raw(raw_hour(hour))}

    def groups(self, hour: Hour) -> Sequence[ShopGroup]:
        """Shops of the documents of one hour."""
        return _groups(self._documents(compacted_key(hour).removesuffix(".json"))).get(hour, ())

    def groups_since(self, first: Hour) -> Mapping[Hour, Sequence[ShopGroup]]:
        """Shops of the documents of each hour from the first on that has any; reads no object."""
        # `after` is exclusive, and the documents of groups are behind the one of all shops.
        documents = self._documents(COMPACTED, after=compacted_key(first - HOUR_MS))
        return {hour: groups for hour, groups in _groups(documents).items() if hour >= first}

    def _since(self, first: Hour, is_read: Callable[[ShopGroup], bool]) -> list[HourFiles]:
        """Hours with raw objects or with a document: a compacted hour is read though its raw objects are gone."""
        groups = self.groups_since(first)
        raw = _by_hour(self._raw_from(first, sorted(groups)))
        return self.read(
            (hour, raw.get(hour, {}), [group for group in groups.get(hour, ()) if is_read(group)])
            for hour in sorted(raw.keys() | groups.keys())
        )

    def _raw_from(self, first: Hour, compacted: Sequence[Hour]) -> list[BlobEntry]:
        """Raw objects from an hour on; a long time is listed by the day, many days at once."""
        if not compacted:
            return self._raw(RAW, after=raw_hour(first))
        listed = self.ledger.list(RAW, after=raw_hour(first))
        # The listing is lazy, so only its first page is read to find the oldest raw object.
        before = next((hour_of_key(entry.key) for entry in listed if is_raw(entry.key)), compacted[0])
        days = list(days_between(min(before, compacted[0]), compacted[-1]))
        whole = _parallel(lambda day: self._raw(raw_day(day), after=raw_hour(first)), days)
        # `~` sorts behind all characters of a key, so the rest begins after the last day.
        return [entry for entries in whole for entry in entries] + self._raw(RAW, after=f"{raw_day(days[-1])}~")

    def read(self, hours: Iterable[tuple[Hour, Mapping[str, int], Iterable[ShopGroup]]]) -> list[HourFiles]:
        """Read the documents of these groups, of hours with these sizes of raw objects by key; many at once."""
        known = [(hour, sizes, list(groups)) for hour, sizes, groups in hours]
        needed = [(hour, group) for hour, _, groups in known for group in groups]
        documents = dict(zip(needed, _parallel(lambda each: self.document(*each), needed), strict=True))
        return [
            HourFiles(
                hour=hour,
                sizes=sizes,
                documents=tuple(read for group in groups if (read := documents[hour, group]) is not None),
            )
            for hour, sizes, groups in known
        ]

    def document(self, hour: Hour, group: ShopGroup) -> HourDocument | None:
        """Read a document; None where there is none. One that cannot be read names no objects."""
        stored = self.ledger.get(compacted_key(hour, group))
        if stored is None:
            return None
        try:
            compacted = read_compacted_hour(stored.content)
        except InvalidCompactedHourError:
            _log.exception("compacted_hour.unreadable", extra={"hour": compacted_key(hour, group)})
            # With its etag, so that compaction replaces the unreadable document instead of requiring that there is
            # none.
            return HourDocument(group=group, etag=stored.etag)
        return HourDocument(group=group, etag=stored.etag, compacted=compacted)

    def _raw(self, prefix: str, *, after: str | None = None) -> list[BlobEntry]:
        return [entry for entry in self.ledger.list(prefix, after=after) if is_raw(entry.key)]

    def _documents(self, prefix: str, *, after: str | None = None) -> list[str]:
        return [entry.key for entry in self.ledger.list(prefix, after=after) if entry.key.endswith(".json")]


def _parquet(hours: Iterable[HourFiles], shop_id: str) -> tuple[str, ...]:
    """Parquet files of the shop. Documents of two divisions may name the same file."""
    own = events_prefix(shop_id)
    documents = (document.compacted for hour in hours for document in hour.documents if document.compacted)
    return tuple(dict.fromkeys(key for document in documents for key in document.events if key.startswith(own)))


def _by_hour(entries: Iterable[BlobEntry]) -> dict[Hour, dict[str, int]]:
    # Keys are parsed once for each folder: parsing each one would take longer than to list them.
    folders: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for entry in entries:
        folders[entry.key.rpartition("/")[0]][entry.key] = entry.size
    return {hour_of_key(folder): sizes for folder, sizes in folders.items()}


def _groups(documents: Iterable[str]) -> dict[Hour, list[ShopGroup]]:
    groups: defaultdict[Hour, list[ShopGroup]] = defaultdict(list)
    for key in documents:
        groups[hour_of_key(key)].append(group_of_key(key))
    return groups


def _parallel(call: Callable[[Key], Result], keys: Iterable[Key]) -> list[Result]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(call, keys))
