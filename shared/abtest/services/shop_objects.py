"""Objects of one shop after another, for a process that counts many: hours' documents are read once for all shops, and
of raw objects that no document names only the shop's sections.

An old hour that is compacted as a whole is not read again for an hour: workers write under the present hour, so no
object is added to it. All other hours are read for each shop. Hours are read in portions, and what is kept of the
settled ones has a limit of bytes; hours beyond it are read for each shop too.
"""

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import Protocol

from abtest.domain.ledger.compacted_hours import HourFiles
from abtest.domain.ledger.events import DAY_MS, HOUR_MS
from abtest.domain.ledger.margins import RECEIVED_MS, SETTLED_MS
from abtest.domain.ledger.objects import (
    COMPACTED,
    RAW,
    Hour,
    Section,
    ShopFiles,
    compacted_day,
    compacted_key,
    events_file,
    events_prefix,
    group_of_key,
    hour_of,
    hour_of_key,
    is_raw,
    raw_day,
    raw_hour,
)
from abtest.domain.ledger.shop_groups import ShopGroup
from abtest.kit.clock import Clock, to_milliseconds
from abtest.ports.blobs import BlobEntry, Blobs
from abtest.services.ledger_files import LedgerFiles

KEPT_MS = HOUR_MS
"""Time for which a settled hour is not read again."""

KEPT_BYTES = 1 << 26
"""Memory for the names of settled hours: those of 10,000 shops in 672 hours need 40 MB."""

DAYS_AT_ONCE = 4
"""Days that are read in parallel, and in memory at a time: a day of 10,000 shops has 50 MB of names."""


class Sections(Protocol):
    """The part of `services.ledger_feed.LedgerFeed` that is used here."""

    def sections_of(self, shop_id: str, raw_keys: Sequence[str]) -> list[Section]:
        """Return the shop's sections of raw objects."""
        ...


_FILE_BYTES, _TEXT_BYTES, _HOUR_BYTES = 5, 250, 100
"""Most bytes of a file, a text (a name or a shop, with its entry and array) and an hour, besides characters."""


class ShopObjects:
    """Listings of the ledger's bucket, for one thread. Every call may raise BlobsUnavailableError."""

    def __init__(self, ledger: Blobs, feed: Sections, clock: Clock, *, kept_bytes: int = KEPT_BYTES) -> None:
        self._ledger = ledger
        self._feed = feed
        self._clock = clock
        self._kept_bytes = kept_bytes
        self._files = LedgerFiles(ledger)
        self._settled = _Settled(0, kept_bytes)

    def of_shop(self, shop_id: str, since_ms: int) -> ShopFiles:
        """Return what has the shop's rows received at or after the moment, and earlier ones of the same hours."""
        now = to_milliseconds(self._clock.now())
        if not 0 <= now - self._settled.since < KEPT_MS:
            self._settled = _Settled(now, self._kept_bytes)
        first = hour_of(since_ms - RECEIVED_MS)
        own = events_prefix(shop_id)
        parquet: list[str] = []
        uncovered: list[str] = []
        others: set[Hour] = set()
        oldest = max(self._oldest(first, now), first)
        for hour in self._read(first, oldest, now):
            if hour.uncovered or hour.hour >= _settled_before(now) or not self._settled.add(hour):
                parquet += [key for key in _events_of(hour) if key.startswith(own)]
                uncovered += hour.uncovered_of(shop_id)
                others.add(hour.hour)
        # Hours without any object as well.
        self._settled.hours |= set(range(oldest, _settled_before(now), HOUR_MS)) - others
        return ShopFiles(
            parquet=(*self._settled.parquet_of(shop_id, first), *parquet),
            sections=tuple(self._feed.sections_of(shop_id, uncovered)),
        )

    def forget(self) -> None:
        """Read all hours again at the next call, for instance where a file of theirs is gone."""
        self._settled = _Settled(0, self._kept_bytes)

    def _read(self, first: Hour, oldest: Hour, now: int) -> Iterator[HourFiles]:
        """Yield the hours from the first on that have objects and are not among the settled ones, in order."""
        today = now // DAY_MS * DAY_MS
        days = range(oldest // DAY_MS * DAY_MS, today + DAY_MS, DAY_MS)
        with ThreadPoolExecutor(DAYS_AT_ONCE) as pool:
            for start in range(0, len(days), DAYS_AT_ONCE):
                portion = days[start : start + DAYS_AT_ONCE]
                yield from chain.from_iterable(pool.map(lambda day: self._of_day(day, first), portion))
        # Of writers whose clock is ahead, or of today when ours is behind. `~` sorts behind all characters of a key.
        behind = max(f"{raw_day(today)}~", raw_hour(first))
        yield from self._hours(self._raw(RAW, behind), self._documents(COMPACTED, f"{compacted_day(today)}~"))

    def _oldest(self, first: Hour, now: int) -> Hour:
        """Return the oldest hour that has objects, or today's first. Listings are lazy: one page of each is read."""
        today = now // DAY_MS * DAY_MS
        raw = next(iter(self._raw(RAW, raw_hour(first))), None)
        # The documents of groups of the hour before are behind the one of all shops.
        documents = map(hour_of_key, self._documents(COMPACTED, compacted_key(first - HOUR_MS)))
        document = next((hour for hour in documents if hour >= first), None)
        return min([today, *([hour_of_key(raw.key)] if raw else []), *([] if document is None else [document])])

    def _of_day(self, day: int, first: Hour) -> list[HourFiles]:
        hours = [hour for hour in range(day, day + DAY_MS, HOUR_MS) if hour >= first]
        unsettled = [hour for hour in hours if hour not in self._settled.hours]
        if len(unsettled) == len(hours):
            raw = self._raw(raw_day(day), raw_hour(first))
            documents = self._documents(compacted_day(day), compacted_key(first - HOUR_MS))
            return self._hours(raw, (key for key in documents if hour_of_key(key) >= first))
        listed = [
            (list(self._raw(raw_hour(hour))), list(self._documents(compacted_key(hour).removesuffix(".json"))))
            for hour in unsettled
        ]
        return self._hours(chain.from_iterable(raw for raw, _ in listed), chain.from_iterable(one for _, one in listed))

    def _hours(self, raw: Iterable[BlobEntry], documents: Iterable[str]) -> list[HourFiles]:
        sizes: defaultdict[Hour, dict[str, int]] = defaultdict(dict)
        groups: defaultdict[Hour, list[ShopGroup]] = defaultdict(list)
        for key in documents:
            groups[hour_of_key(key)].append(group_of_key(key))
        for entry in raw:
            sizes[hour_of_key(entry.key)][entry.key] = entry.size
        hours = sorted(sizes.keys() | groups.keys())
        return self._files.read((hour, sizes.get(hour, {}), groups.get(hour, [])) for hour in hours)

    def _raw(self, prefix: str, after: str | None = None) -> Iterable[BlobEntry]:
        return (entry for entry in self._ledger.list(prefix, after=after) if is_raw(entry.key))

    def _documents(self, prefix: str, after: str | None = None) -> Iterable[str]:
        return (entry.key for entry in self._ledger.list(prefix, after=after) if entry.key.endswith(".json"))


def _settled_before(now: int) -> Hour:
    return hour_of(now - HOUR_MS - SETTLED_MS)


class _Settled:
    """Hours that are compacted as a whole, and their Parquet files by shop, up to a limit of bytes.

    Most shops have files of the same names, so a file is four bytes: the place of its name in a table.
    """

    def __init__(self, since: int, max_bytes: int) -> None:
        self.since = since
        self.hours: set[Hour] = set()
        self._left = max_bytes
        self._names: dict[str, int] = {}
        self._of_shops: dict[str, array[int]] = {}

    def add(self, hour: HourFiles) -> bool:
        """Keep an hour; return whether it is kept, which it is not where the limit would be exceeded."""
        if hour.hour in self.hours:
            return True
        files = [key.split("/", 2) for key in _events_of(hour)]
        new = {rest for _, _, rest in files} - self._names.keys()
        shops = {shop for _, shop, _ in files} - self._of_shops.keys()
        size = _HOUR_BYTES + _FILE_BYTES * len(files) + sum(_TEXT_BYTES + len(text) for text in chain(new, shops))
        if size > self._left:
            return False
        self._left -= size
        self.hours.add(hour.hour)
        for _, shop, rest in files:
            self._of_shops.setdefault(shop, array("I")).append(self._names.setdefault(rest, len(self._names)))
        return True

    def parquet_of(self, shop_id: str, first: Hour) -> list[str]:
        prefix = events_prefix(shop_id)
        places = self._of_shops.get(prefix.split("/")[1])
        if not places:
            return []
        names = list(self._names)
        keys = (f"{prefix}{names[place]}" for place in places)
        return sorted(key for key in keys if events_file(key).hour >= first)


def _events_of(hour: HourFiles) -> Iterable[str]:
    """Return the Parquet files of an hour. Documents of two divisions may name the same file."""
    events = (document.compacted.events for document in hour.documents if document.compacted)
    return dict.fromkeys(chain.from_iterable(events))
