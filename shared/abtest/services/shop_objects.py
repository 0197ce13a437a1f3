"""Objects of one shop after another, for a process that counts many: hours' documents are read once for all shops, and
of raw objects that no document names only the shop's sections.

An old hour that is compacted as a whole is not read again for an hour: workers write under the present hour, so no
object is added to it.
"""

from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

from abtest.domain.ledger.compacted_hours import HourFiles
from abtest.domain.ledger.events import DAY_MS, HOUR_MS
from abtest.domain.ledger.objects import (
    COMPACTED,
    RAW,
    Hour,
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
from abtest.services.ledger_feed import LedgerFeed
from abtest.services.ledger_files import LedgerFiles

SETTLED_MS = 6 * HOUR_MS
"""Time after the end of an hour in which objects may be added to it."""

KEPT_MS = HOUR_MS
"""Time for which a settled hour is not read again."""

AT_ONCE = 8


class ShopObjects:
    """Listings of the ledger's bucket, for one thread. Every call may raise BlobsUnavailableError."""

    def __init__(self, ledger: Blobs, feed: LedgerFeed, clock: Clock) -> None:
        self._ledger = ledger
        self._feed = feed
        self._clock = clock
        self._files = LedgerFiles(ledger)
        self._settled = _Settled(0)

    def of_shop(self, shop_id: str, since_ms: int) -> ShopFiles:
        """Return what has the shop's rows received at or after the moment, and earlier ones of the same hours."""
        now = to_milliseconds(self._clock.now())
        if not 0 <= now - self._settled.since < KEPT_MS:
            self._settled = _Settled(now)
        first = hour_of(since_ms - HOUR_MS)
        hours = self._read(first, now)
        own = events_prefix(shop_id)
        fresh = [key for hour in hours for key in _events_of(hour) if key.startswith(own)]
        uncovered = [key for hour in hours for key in hour.uncovered_of(shop_id)]
        return ShopFiles(
            parquet=(*self._settled.parquet_of(shop_id, first), *fresh),
            sections=tuple(self._feed.sections_of(shop_id, uncovered)),
        )

    def _read(self, first: Hour, now: int) -> list[HourFiles]:
        """Return the hours from the first on that are not settled, in order; those that are join the settled ones."""
        today = now // DAY_MS * DAY_MS
        days = range(self._oldest(first, today) // DAY_MS * DAY_MS, today + DAY_MS, DAY_MS)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            read = list(pool.map(lambda day: self._of_day(day, first), days))
        # Of writers whose clock is ahead, or of today when ours is behind. `~` sorts behind all characters of a key.
        behind = max(f"{raw_day(today)}~", raw_hour(first))
        read.append(self._hours(self._raw(RAW, behind), self._documents(COMPACTED, f"{compacted_day(today)}~")))
        settled_before = now - HOUR_MS - SETTLED_MS
        hours: list[HourFiles] = []
        for hour in chain.from_iterable(read):
            if hour.uncovered or hour.hour >= settled_before:
                hours.append(hour)
            else:
                self._settled.add(hour)
        # Hours without any object as well.
        passed = range(max(days.start, first), settled_before, HOUR_MS)
        self._settled.hours |= set(passed) - {hour.hour for hour in hours}
        return hours

    def _oldest(self, first: Hour, today: int) -> Hour:
        """Return the oldest hour from the first on that has objects. Listings are lazy: one page of each is read."""
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


class _Settled:
    """Hours that are compacted as a whole, and the names of their Parquet files by shop, in few bytes."""

    def __init__(self, since: int) -> None:
        self.since = since
        self.hours: set[Hour] = set()
        self._names: defaultdict[str, bytearray] = defaultdict(bytearray)

    def add(self, hour: HourFiles) -> None:
        if hour.hour in self.hours:
            return
        self.hours.add(hour.hour)
        for key in _events_of(hour):
            zone, shop, rest = key.split("/", 2)
            self._names[f"{zone}/{shop}/"] += f"{rest}\n".encode()

    def parquet_of(self, shop_id: str, first: Hour) -> list[str]:
        prefix = events_prefix(shop_id)
        names = self._names[prefix].decode().splitlines() if prefix in self._names else []
        return sorted(key for key in (f"{prefix}{name}" for name in names) if events_file(key).hour >= first)


def _events_of(hour: HourFiles) -> Iterable[str]:
    """Return the Parquet files of an hour. Documents of two divisions may name the same file."""
    events = (document.compacted.events for document in hour.documents if document.compacted)
    return dict.fromkeys(chain.from_iterable(events))
