"""Objects that hold each part of the ledger: Parquet for compacted hours, raw for the rest.

Readers take the union and drop copies of a row, so an outdated listing is never wrong, only older.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from abtest.domain.ledger.compacted_hours import HourFiles, InvalidCompactedHourError, read_compacted_hour
from abtest.domain.ledger.events import HOUR_MS
from abtest.domain.ledger.objects import (
    COMPACTED,
    RAW,
    Hour,
    ShopFiles,
    compacted_key,
    days_between,
    events_file,
    hour_of,
    hour_of_key,
    is_raw,
    raw_day,
    raw_hour,
    raw_start,
)
from abtest.ports.blobs import Blobs

_log = logging.getLogger(__name__)

AT_ONCE = 16
"""Documents and listings that are read at the same time."""

Key = TypeVar("Key")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerIndex:
    """Names of the ledger's objects since a moment, for all shops."""

    parquet: Mapping[str, tuple[str, ...]]
    """Parquet files of compacted hours, by shop."""
    raw: tuple[str, ...]
    """Raw objects that no hour's document names."""

    def of_shop(self, shop_id: str) -> ShopFiles:
        """Objects that hold the shop's rows."""
        return ShopFiles(parquet=self.parquet.get(shop_id, ()), raw=self.raw)


@dataclass(frozen=True, slots=True)
class LedgerFiles:
    """Listings of the ledger's bucket. Every call may raise BlobsUnavailableError."""

    ledger: Blobs

    def of_shop(self, shop_id: str, since_ms: int) -> ShopFiles:
        """Objects that hold the shop's rows received at or after the moment, and earlier ones of the same hours."""
        return self.index(since_ms).of_shop(shop_id)

    def index(self, since_ms: int) -> LedgerIndex:
        """Read every hour's document and the raw listing once, for all shops."""
        hours = self._since(hour_of(since_ms - HOUR_MS))
        parquet: defaultdict[str, list[str]] = defaultdict(list)
        for hour in hours:
            for key in hour.compacted.events if hour.compacted else ():
                parquet[events_file(key).shop_id].append(key)
        return LedgerIndex(
            parquet={shop_id: tuple(keys) for shop_id, keys in parquet.items()},
            raw=tuple(key for hour in hours for key in hour.uncovered),
        )

    def raw_since(self, moment: int) -> list[str]:
        """Every raw object that may hold rows received at or after the moment, compacted or not, oldest hour first."""
        return self._raw(RAW, after=raw_start(moment))

    def hours(self, first: Hour, last: Hour) -> list[HourFiles]:
        """Each hour from the first to the last (both included) that has raw objects, in order."""
        days = _parallel(lambda day: self._raw(raw_day(day)), days_between(first, last))
        raw = _by_hour(key for keys in days for key in keys)
        return _parallel(
            lambda hour: self.hour(hour, raw[hour]), [hour for hour in sorted(raw) if first <= hour <= last]
        )

    def hour(self, hour: Hour, raw: Sequence[str] | None = None) -> HourFiles:
        """One hour; its raw objects are listed where they are not given. A document that cannot be read is none."""
        keys = tuple(self._raw(raw_hour(hour)) if raw is None else raw)
        stored = self.ledger.get(compacted_key(hour))
        if stored is None:
            return HourFiles(hour=hour, raw=keys)
        try:
            compacted = read_compacted_hour(stored.content)
        except InvalidCompactedHourError:
            _log.exception("compacted_hour.unreadable", extra={"hour": compacted_key(hour)})
            # With its etag, so that compaction replaces the unreadable document instead of requiring that there is
            # none.
            return HourFiles(hour=hour, raw=keys, etag=stored.etag)
        return HourFiles(hour=hour, raw=keys, compacted=compacted, etag=stored.etag)

    def _since(self, first: Hour) -> list[HourFiles]:
        """Hours with raw objects or with a document: a compacted hour is read though its raw objects are gone."""
        # `after` is exclusive: behind the key of the hour before, the first hour itself is included.
        documents = self.ledger.list(COMPACTED, after=compacted_key(first - HOUR_MS))
        compacted = [hour_of_key(entry.key) for entry in documents if entry.key.endswith(".json")]
        raw = _by_hour(self._raw_from(first, compacted))
        known = {hour: raw.get(hour, []) for hour in sorted(raw.keys() | set(compacted))}
        read = {hour.hour: hour for hour in _parallel(lambda hour: self.hour(hour, known[hour]), compacted)}
        return [read.get(hour) or HourFiles(hour=hour, raw=tuple(keys)) for hour, keys in known.items()]

    def _raw_from(self, first: Hour, compacted: Sequence[Hour]) -> list[str]:
        """Raw objects from an hour on; a long time is listed by the day, many days at once."""
        if not compacted:
            return self._raw(RAW, after=raw_hour(first))
        listed = self.ledger.list(RAW, after=raw_hour(first))
        # The listing is lazy, so only its first page is read to find the oldest raw object.
        before = next((hour_of_key(entry.key) for entry in listed if is_raw(entry.key)), compacted[0])
        days = list(days_between(min(before, compacted[0]), compacted[-1]))
        whole = _parallel(lambda day: self._raw(raw_day(day), after=raw_hour(first)), days)
        # `~` sorts behind all characters of a key, so the rest begins after the last day.
        return [key for keys in whole for key in keys] + self._raw(RAW, after=f"{raw_day(days[-1])}~")

    def _raw(self, prefix: str, *, after: str | None = None) -> list[str]:
        return [entry.key for entry in self.ledger.list(prefix, after=after) if is_raw(entry.key)]


def _by_hour(keys: Iterable[str]) -> dict[Hour, list[str]]:
    hours: defaultdict[Hour, list[str]] = defaultdict(list)
    for key in keys:
        hours[hour_of_key(key)].append(key)
    return hours


def _parallel(call: Callable[[Key], Result], keys: Iterable[Key]) -> list[Result]:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(call, keys))
