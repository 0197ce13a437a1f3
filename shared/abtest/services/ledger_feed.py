"""The feed of the ledger: who advances it appends what is new; who counts a shop reads that shop's news.

Any number of processes may advance it at once. An entry is stored only where there is none of its number, so entries
are in one order, and a process that comes second continues behind the first. What a killed process has not stored, the
next one lists again.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, islice, takewhile

from abtest.domain.ledger.events import DAY_MS, HOUR_MS
from abtest.domain.ledger.feed import FEED, FeedEntry, ShopNews, encoded, feed_key, next_entry, offset_of_key
from abtest.domain.ledger.manifests import Manifest, Section
from abtest.domain.ledger.margins import CLOCKS_APART_MS, OVERLAP_MS
from abtest.domain.ledger.objects import RAW, hour_of, hour_of_key, is_raw, raw_hour
from abtest.kit.clock import Clock, to_milliseconds
from abtest.ports.blobs import Blobs, PreconditionFailedError
from abtest.services.feed_entries import FeedEntries
from abtest.services.ledger_files import LedgerFiles
from abtest.services.ledger_manifests import Manifests

FIRST_MS = 2 * DAY_MS
"""Time before the first entry that it covers, except compacted hours."""

REPEATED_AFTER_MS = DAY_MS
"""An entry without news is stored after this time, so that the newest one never becomes old enough to be deleted."""

OBJECTS_AN_ENTRY, SECTIONS_AN_ENTRY = 5_000, 200_000
CONFLICTS = 32
UNREAD = 1_000
"""Objects that cannot be read, and are tried again at each advance until they can."""

DAMAGED = 100
"""Damaged entries in a row that are passed over."""

MANY = 16
"""Objects of an hour that are looked up in the entries of that time, and not one by one."""

ADVANCED_AFTER_MS = HOUR_MS // 2
"""Time after an hour within which most of its objects are in an entry."""

WHOLE = 1 << 40
"""Length of a section that ends where its object ends."""


class FeedGapError(Exception):
    """An entry is gone or damaged, so a state from before it cannot be continued."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"entry {offset} of the ledger's feed does not exist or cannot be read")
        self.offset = offset


class FeedContendedError(Exception):
    """Other processes stored the next entry each time; advance later."""

    def __init__(self) -> None:
        super().__init__(f"{CONFLICTS} entries of other processes came first; advance later")


@dataclass(frozen=True, slots=True, kw_only=True)
class Advanced:
    """The newest entry, None while there were no objects. `listed_at`: Unix ms of the moment before any listing."""

    entry: FeedEntry | None
    listed_at: int


@dataclass(frozen=True, slots=True)
class _Top:
    """The newest entry that can be read, the last offset in use, and when the entry was stored by the store's clock."""

    entry: FeedEntry | None
    last: int = 0
    stored_at: int = 0


class LedgerFeed:
    """The feed in the ledger's bucket, for one thread. Every call may raise BlobsUnavailableError."""

    def __init__(self, ledger: Blobs, clock: Clock) -> None:
        self._ledger = ledger
        self._clock = clock
        self._entries = FeedEntries(ledger)
        self._manifests = Manifests(ledger)

    def newest(self) -> FeedEntry | None:
        """Return the newest entry. A damaged one is passed over: the next entry has its objects again."""
        return self._top().entry

    def advance(self) -> Advanced:
        """Append what is new to the feed. Raises FeedContendedError.

        The entry and those before it have everything that the ledger held at `listed_at`, except objects that cannot
        be read.
        """
        listed_at = to_milliseconds(self._clock.now())
        top = self._top()
        pending, unread = self._pending(top, listed_at)
        conflicts = 0
        # The first entry may be empty: later ones list from its moment on, however late they come.
        while pending or top.entry is None or _is_old(top, listed_at) or unread != _unread(top):
            portion = pending[: _portion(pending)] if top.entry else pending
            entry = _next(top, listed_at, portion, is_last=len(portion) == len(pending))
            entry = replace(entry, unread=unread)
            if self._put(entry):
                top, pending = _Top(entry, entry.offset, 0), pending[len(portion) :]
                continue
            conflicts += 1
            if conflicts > CONFLICTS:
                raise FeedContendedError
            before, top = top, self._top()
            if before.entry:
                pending, unread = self._still(pending, unread, before)
            else:
                pending, unread = self._pending(top, listed_at)
        return Advanced(entry=top.entry, listed_at=listed_at)

    def awaited(self) -> Callable[[str], bool]:
        """Return a function of a key: whether a raw object that is in no entry may come into a later one.

        Older ones, whose entries and manifests have expired, do not.
        """
        top = self._top()
        since = hour_of(_window_start(top, to_milliseconds(self._clock.now()))) if top.entry else 0
        unread = frozenset(_unread(top))
        return lambda key: hour_of_key(key) >= since or key in unread

    def news(self, shop_id: str, *, after: int, head: int) -> list[ShopNews]:
        """Return the shop's news in entries behind `after` up to `head`, oldest first.

        `head` is the offset of an entry with news of the shop. Raises FeedGapError.
        """
        news: list[ShopNews] = []
        offset = head
        while offset > after:
            own = self._entries.news(offset, shop_id)
            if own is None or own.before >= offset:
                raise FeedGapError(offset)
            news.append(own)
            offset = own.before
        return news[::-1]

    def sections_of(self, shop_id: str, raw_keys: Sequence[str]) -> list[Section]:
        """Return the shop's sections of these raw objects, in the order of keys.

        An object that neither an entry nor a manifest names may have rows of the shop: it is one section as a whole,
        with 0 rows and 0 for both moments, because they are not known.
        """
        sections = self._in_entries(shop_id, set(raw_keys), MANY)
        others = set(raw_keys) - sections.keys()
        manifests = self._manifests.read(sorted(others))
        sections |= {key: manifest.sections.get(shop_id) for key, manifest in manifests.items()}
        # A manifest may be deleted or damaged after its object became news, which it will not become again.
        lost = others - manifests.keys()
        sections |= {key: _whole(key) for key in lost} | self._in_entries(shop_id, lost, 1)
        return [section for _, section in sorted(sections.items()) if section]

    def _in_entries(self, shop_id: str, raw_keys: set[str], many: int) -> dict[str, Section | None]:
        """Return the shop's sections, or None where it has no rows, of the objects that probable entries name."""
        sections: dict[str, Section | None] = {}
        offsets = self._naming(raw_keys, many)
        self._entries.fetch(offsets)
        for offset in offsets:
            stored, news = self._entries.read(offset), self._entries.news(offset, shop_id)
            # The first entry names compacted objects without their sections.
            named = stored.objects if stored and not stored.is_first else ()
            sections = dict.fromkeys(raw_keys.intersection(named)) | sections
            sections |= {one.key: one for one in (news.sections if news else ()) if one.key in raw_keys}
        return sections

    def _top(self) -> _Top:
        last = 0
        for offset, stored_at in islice(self._listed(), DAMAGED):
            last = last or offset
            entry = self._entries.entry(offset)
            if entry:
                return _Top(entry, last, stored_at)
        return _Top(None, last)

    def _pending(self, top: _Top, now: int) -> tuple[list[Manifest], tuple[str, ...]]:
        """Return manifests of objects that no entry names, in the order of keys, and objects that cannot be read."""
        if top.entry is None:
            return self._first(now)
        start = hour_of(_window_start(top, now))
        offsets = self._offsets(start)
        named = self._entries.objects(offsets)
        self._entries.forget_before(min(offsets, default=0))
        new = sorted({*self._raw_from(start), *top.entry.unread} - named)
        made = self._manifests.made(new)
        return list(made.values()), self._left(new, made)

    def _still(
        self, pending: Sequence[Manifest], unread: Sequence[str], before: _Top
    ) -> tuple[list[Manifest], tuple[str, ...]]:
        """Return the manifests and objects that entries of other processes, behind `before`, do not name."""
        later = takewhile(lambda offset: offset > before.last, (offset for offset, _ in self._listed()))
        named = self._entries.objects(later)
        still = [manifest for manifest in pending if manifest.key not in named]
        return still, tuple(key for key in unread if key not in named)

    def _first(self, now: int) -> tuple[list[Manifest], tuple[str, ...]]:
        """Return manifests for the first entry: those of compacted objects are empty, because no state is older."""
        uncovered = set(LedgerFiles(self._ledger).uncovered(now - FIRST_MS))
        made = self._manifests.made(sorted(uncovered))
        covered = (key for key in self._raw_from(hour_of(now - OVERLAP_MS)) if key not in uncovered)
        manifests = [*made.values(), *(Manifest(key=key, sections={}) for key in covered)]
        return manifests, self._left(sorted(uncovered), made)

    def _left(self, keys: Sequence[str], made: Mapping[str, Manifest]) -> tuple[str, ...]:
        """Return the newest objects without a manifest, except those that were deleted."""
        left = [key for key in keys if key not in made][-UNREAD:]
        return tuple(key for key in left if self._ledger.part(key, 0, 1) is not None)

    def _raw_from(self, hour: int) -> Iterator[str]:
        return (entry.key for entry in self._ledger.list(RAW, after=raw_hour(hour)) if is_raw(entry.key))

    def _offsets(self, hour: int) -> list[int]:
        """Return the offsets of entries that may name objects of this hour of writing or later ones, newest first."""
        since = hour - CLOCKS_APART_MS
        # A store that reports no time has 0.
        recent = takewhile(lambda one: not one[1] or one[1] >= since, self._listed())
        return [offset for offset, _ in recent]

    def _naming(self, raw_keys: Iterable[str], many: int) -> list[int]:
        """Return the offsets of entries that probably name these objects, in hours with at least so many of them.

        Few objects of an hour, as where a single one could not be compacted, are looked up by their manifests: that is
        less to read than the entries of that time.
        """
        hours = [hour for hour, count in Counter(map(hour_of_key, raw_keys)).items() if count >= many]
        if not hours:
            return []
        since = min(hours) - CLOCKS_APART_MS
        recent = takewhile(lambda one: not one[1] or one[1] >= since, self._listed())
        return [
            offset
            for offset, stored_at in recent
            if not stored_at
            or any(-CLOCKS_APART_MS <= stored_at - hour < HOUR_MS + ADVANCED_AFTER_MS for hour in hours)
        ]

    def _listed(self) -> Iterator[tuple[int, int]]:
        """Yield offset and time of storing of entries, newest first."""
        for stored in self._ledger.list(FEED):
            offset = _offset(stored.key)
            if offset is not None:
                yield offset, stored.modified

    def _put(self, entry: FeedEntry) -> bool:
        """Store the entry; return whether it is the one of its number."""
        try:
            self._ledger.put(feed_key(entry.offset), encoded(entry), content_type="application/gzip", if_absent=True)
        except PreconditionFailedError:
            return False
        return True


def _next(top: _Top, listed_at: int, manifests: Sequence[Manifest], *, is_last: bool) -> FeedEntry:
    if top.entry is None:
        # Seconds of a clock are greater than any number of an earlier feed that was deleted, so no state fits this one
        # by chance.
        return next_entry(None, listed_at, manifests, first=max(listed_at // 1000, top.last + 1))
    # Until the last portion is stored, the next process has to list as much again.
    began_at = listed_at if is_last else top.entry.began_at
    return next_entry(replace(top.entry, offset=top.last), began_at, manifests)


def _unread(top: _Top) -> tuple[str, ...]:
    return top.entry.unread if top.entry else ()


def _window_start(top: _Top, now: int) -> int:
    """Return the moment from which objects may be new, also where an entry's process had a wrong clock."""
    began_at = top.entry.began_at if top.entry else now
    if not top.stored_at:
        return min(began_at, now) - OVERLAP_MS
    return max(min(began_at, top.stored_at), top.stored_at - FIRST_MS) - OVERLAP_MS


def _is_old(top: _Top, now: int) -> bool:
    return top.entry is not None and abs(now - top.entry.began_at) > REPEATED_AFTER_MS


def _portion(manifests: Sequence[Manifest]) -> int:
    """Return how many manifests fit into one entry, at least one."""
    sizes = accumulate(len(manifest.sections) for manifest in manifests[:OBJECTS_AN_ENTRY])
    return max(1, sum(size <= SECTIONS_AN_ENTRY for size in sizes)) if manifests else 0


def _offset(key: str) -> int | None:
    try:
        return offset_of_key(key)
    except ValueError:  # tools that browse buckets may leave markers of their own
        return None


def _whole(key: str) -> Section:
    return Section(key=key, offset=0, length=WHOLE, rows=0, oldest=0, newest=0)
