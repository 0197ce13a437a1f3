"""The feed of the ledger: a numbered series of entries, each with the sections of raw objects that were new.

The number of an entry is an offset: a reader that has counted a shop up to an offset needs the shop's sections of later
entries only. Entries are never changed. Each names, for every shop in it, the entry before that has rows of the shop,
so a reader walks from the newest one back and reads no entry without news.
"""

import gzip
from collections.abc import Iterable, Mapping, Sequence
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
    """Rows of a shop in one entry. `before`: the offset of the shop's news before these, 0 for its first.

    `oldest` and `newest`: when the rows were received (Unix ms).
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

    `heads`: by shop, the offset of its newest news, in this entry or an earlier one.
    """

    offset: int
    began_at: int
    objects: tuple[str, ...] = ()
    shops: Mapping[str, ShopNews] = field(default_factory=dict)
    heads: Mapping[str, int] = field(default_factory=dict)


def feed_key(offset: int) -> str:
    """Return the key of an entry."""
    return f"{FEED}{_LAST_NUMBER - offset:012}.ndjson.gz"


def offset_of_key(key: str) -> int:
    """Return the offset in the key of an entry. Raises ValueError for any other key."""
    return _LAST_NUMBER - int(key.removeprefix(FEED).removesuffix(".ndjson.gz"))


def next_entry(before: FeedEntry | None, began_at: int, manifests: Iterable[Manifest]) -> FeedEntry:
    """Return the entry behind `before` with the sections of new manifests."""
    offset, heads = (before.offset + 1, dict(before.heads)) if before else (1, {})
    ordered = sorted(manifests, key=lambda manifest: manifest.key)
    by_shop: dict[str, list[Section]] = {}
    for manifest in ordered:
        for shop_id, section in manifest.sections.items():
            by_shop.setdefault(shop_id, []).append(section)
    shops = {shop_id: _news_of(offset, heads.get(shop_id, 0), tuple(sections)) for shop_id, sections in by_shop.items()}
    return FeedEntry(
        offset=offset,
        began_at=began_at,
        objects=tuple(manifest.key for manifest in ordered),
        shops=shops,
        heads=heads | dict.fromkeys(shops, offset),
    )


def encoded(entry: FeedEntry) -> bytes:
    """Return the stored form: a line with the entry's own fields, one with the heads, and a line for each shop."""
    numbers = {key: number for number, key in enumerate(entry.objects)}
    lines: list[Any] = [
        {"offset": entry.offset, "began_at": entry.began_at, "objects": list(entry.objects)},
        dict(entry.heads),
        *(
            [shop_id, news.before, [[numbers[one.key], *_numbers_of(one)] for one in news.sections]]
            for shop_id, news in sorted(entry.shops.items())
        ),
    ]
    return gzip.compress(b"\n".join(map(canonical_json.encode, lines)), 6, mtime=0)


def read_entry(content: bytes) -> FeedEntry:
    """Read an entry. Raises InvalidFeedEntryError for anything else."""
    try:
        first, heads, *lines = gzip.decompress(content).split(b"\n")
        own: dict[str, Any] = canonical_json.loads(first, own=True)
        shops = dict(_shop_of(canonical_json.loads(line, own=True), own) for line in lines)
        return FeedEntry(
            offset=own["offset"],
            began_at=own["began_at"],
            objects=tuple(own["objects"]),
            shops=shops,
            heads=canonical_json.loads(heads, own=True),
        )
    except _BROKEN as error:
        raise InvalidFeedEntryError(str(error)[:200]) from error


def read_news(content: bytes, shop_id: str) -> ShopNews | None:
    """Return the news of one shop in an entry, without reading those of others. Raises InvalidFeedEntryError."""
    try:
        first, _heads, *lines = gzip.decompress(content).split(b"\n")
        begins = canonical_json.encode([shop_id])[:-1] + b","
        line = next((line for line in lines if line.startswith(begins)), None)
        if line is None:
            return None
        return _shop_of(canonical_json.loads(line, own=True), canonical_json.loads(first, own=True))[1]
    except _BROKEN as error:
        raise InvalidFeedEntryError(str(error)[:200]) from error


_BROKEN = (OSError, EOFError, ValueError, TypeError, KeyError, IndexError, AttributeError)


def _numbers_of(section: Section) -> Sequence[int]:
    return section.offset, section.length, section.rows, section.oldest, section.newest


def _shop_of(line: Any, own: Mapping[str, Any]) -> tuple[str, ShopNews]:
    shop_id, before, entries = line
    sections = tuple(
        Section(key=own["objects"][number], offset=offset, length=length, rows=rows, oldest=oldest, newest=newest)
        for number, offset, length, rows, oldest, newest in entries
    )
    return shop_id, _news_of(own["offset"], before, sections)


def _news_of(offset: int, before: int, sections: tuple[Section, ...]) -> ShopNews:
    return ShopNews(
        offset=offset,
        before=before,
        rows=sum(one.rows for one in sections),
        oldest=min(one.oldest for one in sections),
        newest=max(one.newest for one in sections),
        sections=sections,
    )
