"""The feed of the ledger: a numbered series of entries, each with the sections of raw objects that were new.

The number of an entry is an offset: a reader that has counted a shop up to an offset needs the shop's sections of later
entries only. Entries are never changed. Each names, for every shop in it, the entry before that has rows of the shop,
so a reader walks from the newest one back and reads no entry without news.
"""

import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from abtest.domain.ledger.manifests import Manifest, Section
from abtest.kit import canonical_json

FEED = "feed/"

# Numbers have at most twelve digits. Keys have the complement, so that the newest entry is the first of a listing.
_LAST_NUMBER = 10**12 - 1


class InvalidFeedEntryError(Exception):
    """The bytes are not an entry of the feed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopNews:
    """Rows of a shop in one entry. `before`: the offset of the shop's news before these.

    Of a shop's first news it is the offset before the feed's first entry, where there is no entry. `oldest` and
    `newest`: when the rows were received (Unix ms).
    """

    offset: int
    before: int
    rows: int
    oldest: int
    newest: int
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FeedEntry:
    """One entry. It and those before it have everything that the ledger held at `began_at` (Unix ms).

    `heads`: by shop, the offset of its newest news, in this entry or an earlier one. `first`: the offset of the feed's
    first entry. `unread`: raw objects that could not be read so far, and are in no entry.
    """

    offset: int
    began_at: int
    first: int = 1
    unread: tuple[str, ...] = ()
    objects: tuple[str, ...] = ()
    shops: Mapping[str, ShopNews] = field(default_factory=dict)
    heads: Mapping[str, int] = field(default_factory=dict)


def feed_key(offset: int) -> str:
    """Return the key of an entry."""
    return f"{FEED}{_LAST_NUMBER - offset:012}.ndjson.gz"


def offset_of_key(key: str) -> int:
    """Return the offset in the key of an entry. Raises ValueError for any other key."""
    return _LAST_NUMBER - int(key.removeprefix(FEED).removesuffix(".ndjson.gz"))


def next_entry(before: FeedEntry | None, began_at: int, manifests: Iterable[Manifest], *, first: int = 1) -> FeedEntry:
    """Return the entry behind `before` with the sections of new manifests. Without `before` its offset is `first`."""
    offset, heads = (before.offset + 1, dict(before.heads)) if before else (first, {})
    first = before.first if before else first
    ordered = sorted(manifests, key=lambda manifest: manifest.key)
    by_shop: dict[str, list[Section]] = {}
    for manifest in ordered:
        for shop_id, section in manifest.sections.items():
            by_shop.setdefault(shop_id, []).append(section)
    shops = {
        shop_id: _news_of(offset, heads.get(shop_id, first - 1), tuple(sections))
        for shop_id, sections in by_shop.items()
    }
    return FeedEntry(
        offset=offset,
        began_at=began_at,
        first=first,
        objects=tuple(manifest.key for manifest in ordered),
        shops=shops,
        heads=heads | dict.fromkeys(shops, offset),
    )


def encoded(entry: FeedEntry) -> bytes:
    """Return the stored form: a line with the entry's own fields, one with the heads, and a line for each shop."""
    numbers = {key: number for number, key in enumerate(entry.objects)}
    lines: list[Any] = [
        {
            "offset": entry.offset,
            "began_at": entry.began_at,
            "first": entry.first,
            "objects": list(entry.objects),
            "unread": list(entry.unread),
        },
        dict(entry.heads),
        *(
            [shop_id, news.before, [[numbers[one.key], *_numbers_of(one)] for one in news.sections]]
            for shop_id, news in sorted(entry.shops.items())
        ),
    ]
    return gzip.compress(b"\n".join(map(canonical_json.encode, lines)), 6, mtime=0)


class StoredEntry:
    """A stored entry, split into lines: reading one shop's news parses no other shop's news."""

    __slots__ = ("_heads", "_lines", "_own", "size")

    def __init__(self, content: bytes) -> None:
        """Raises InvalidFeedEntryError."""
        try:
            lines = gzip.decompress(content)
            first, self._heads, *shops = lines.split(b"\n")
            self._own: dict[str, Any] = canonical_json.loads(first, own=True)
            self._lines = {line[: line.index(b'",') + 1]: line for line in shops}
            self.size = len(lines)
            _check(self._own)
        except _BROKEN as error:
            raise InvalidFeedEntryError(str(error)[:200]) from error

    @property
    def offset(self) -> int:
        """The number of the entry."""
        offset: int = self._own["offset"]
        return offset

    @property
    def is_first(self) -> bool:
        """True for the entry with which the feed begins."""
        return bool(self.offset == self._own.get("first", 1))

    @property
    def objects(self) -> tuple[str, ...]:
        """The raw objects that were new."""
        return tuple(self._own["objects"])

    def news_of(self, shop_id: str) -> ShopNews | None:
        """Return the news of one shop. Raises InvalidFeedEntryError."""
        line = self._lines.get(canonical_json.encode([shop_id])[:-1])
        try:
            return None if line is None else _shop_of(canonical_json.loads(line, own=True), self._own)
        except _BROKEN as error:
            raise InvalidFeedEntryError(str(error)[:200]) from error

    def entry(self) -> FeedEntry:
        """Return the entry. Raises InvalidFeedEntryError, and so does the news of a shop when it is read."""
        try:
            heads: dict[str, int] = canonical_json.loads(self._heads, own=True)
            return FeedEntry(
                offset=self.offset,
                began_at=self._own["began_at"],
                first=self._own.get("first", 1),
                unread=tuple(self._own.get("unread", ())),
                objects=self.objects,
                shops=_StoredShops(self, tuple(canonical_json.loads(line + b"]")[0] for line in self._lines)),
                heads=dict(heads.items()),
            )
        except _BROKEN as error:
            raise InvalidFeedEntryError(str(error)[:200]) from error


class _StoredShops(Mapping[str, ShopNews]):
    """News by shop, parsed when they are read."""

    __slots__ = ("_shop_ids", "_stored")

    def __init__(self, stored: StoredEntry, shop_ids: tuple[str, ...]) -> None:
        self._stored = stored
        self._shop_ids = shop_ids

    def __getitem__(self, shop_id: str) -> ShopNews:
        news = self._stored.news_of(shop_id)
        if news is None:
            raise KeyError(shop_id)
        return news

    def __iter__(self) -> Iterator[str]:
        return iter(self._shop_ids)

    def __len__(self) -> int:
        return len(self._shop_ids)


def read_entry(content: bytes) -> FeedEntry:
    """Read an entry. Raises InvalidFeedEntryError for anything else."""
    return StoredEntry(content).entry()


def read_news(content: bytes, shop_id: str) -> ShopNews | None:
    """Return the news of one shop in an entry, without reading those of others. Raises InvalidFeedEntryError."""
    return StoredEntry(content).news_of(shop_id)


_BROKEN = (OSError, EOFError, zlib.error, ValueError, TypeError, KeyError, IndexError, AttributeError)


def _check(own: Mapping[str, Any]) -> None:
    if not all(isinstance(own[name], int) for name in ("offset", "began_at")):
        raise ValueError("an entry needs an offset and a moment")
    if not all(isinstance(key, str) for key in own["objects"]):
        raise ValueError("names of objects are texts")


def _numbers_of(section: Section) -> Sequence[int]:
    return section.offset, section.length, section.rows, section.oldest, section.newest


def _shop_of(line: Any, own: Mapping[str, Any]) -> ShopNews:
    _, before, entries = line
    sections = tuple(
        Section(key=own["objects"][number], offset=offset, length=length, rows=rows, oldest=oldest, newest=newest)
        for number, offset, length, rows, oldest, newest in entries
    )
    return _news_of(own["offset"], before, sections)


def _news_of(offset: int, before: int, sections: tuple[Section, ...]) -> ShopNews:
    return ShopNews(
        offset=offset,
        before=before,
        rows=sum(one.rows for one in sections),
        oldest=min(one.oldest for one in sections),
        newest=max(one.newest for one in sections),
        sections=sections,
    )
