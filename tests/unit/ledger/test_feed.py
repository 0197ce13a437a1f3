"""The feed of the ledger and the manifests of its objects: written and read back, and every shop's rows apart."""

from __future__ import annotations

import gzip

import pytest

from abtest.domain.ledger.feed import (
    FeedEntry,
    InvalidFeedEntryError,
    encoded,
    feed_key,
    next_entry,
    offset_of_key,
    read_entry,
    read_news,
)
from abtest.domain.ledger.manifests import (
    MEMBER_BYTES,
    InvalidManifestError,
    InvalidRawObjectError,
    Manifest,
    manifest_key,
    manifest_of,
    raw_key_of,
    read_manifest,
    sectioned,
    whole_object,
)
from abtest.domain.ledger.objects import raw_key
from abtest.kit import canonical_json
from tests.unit.ledger.streams import BEGIN, row

KEY = raw_key(["m-1"], BEGIN)


def rows_of(content: bytes) -> list[str]:
    return [canonical_json.loads(line)["event_id"] for line in gzip.decompress(content).splitlines()]


def two_shops(key: str = KEY) -> tuple[bytes, Manifest]:
    names = [("a-1", "shop-b"), ("a-2", "shop-a"), ("a-3", "shop-b")]
    much = "x" * MEMBER_BYTES
    rows = [row(event_id=event_id, shop_id=shop_id, received_at=BEGIN + 7, data=much) for event_id, shop_id in names]
    return sectioned(key, rows)


def test_object__of_large_shops__is_one_gzip_file_and_one_for_each() -> None:
    content, manifest = two_shops()
    assert rows_of(content) == ["a-2", "a-1", "a-3"]
    parts = {
        shop_id: rows_of(content[one.offset : one.offset + one.length]) for shop_id, one in manifest.sections.items()
    }
    assert parts == {"shop-a": ["a-2"], "shop-b": ["a-1", "a-3"]}
    assert [(one.rows, one.oldest, one.newest) for one in manifest.sections.values()] == [
        (1, BEGIN + 7, BEGIN + 7),
        (2, BEGIN + 7, BEGIN + 7),
    ]
    assert two_shops() == (content, manifest), "equal rows give equal bytes"


def test_object__of_small_shops__is_shared_by_few() -> None:
    rows = [row(event_id=f"e-{n}", shop_id=f"shop-{n % 50:02}", received_at=BEGIN, data="x" * 5_000) for n in range(99)]
    content, manifest = sectioned(KEY, rows)
    members = {(one.offset, one.length) for one in manifest.sections.values()}
    assert 5 < len(members) < 10
    for shop_id, one in manifest.sections.items():
        event_ids = rows_of(content[one.offset : one.offset + one.length])
        assert [each["event_id"] for each in rows if each["shop_id"] == shop_id] == [
            event_id for event_id in event_ids if int(event_id.removeprefix("e-")) % 50 == int(shop_id[-2:])
        ]
    assert sum(length for _, length in members) == len(content)
    assert manifest_of(KEY, content) == manifest


def test_manifest__of_members_that_share_shops_and_lines__spans_them() -> None:
    lines = [canonical_json.encode(dict(row(shop_id=shop))) for shop in ("shop-a", "shop-b", "shop-a", "shop-c")]
    first, second, third = map(
        gzip.compress, (lines[0] + b"\n" + lines[1] + b"\n" + lines[2][:9], lines[2][9:], lines[3])
    )
    sections = manifest_of(KEY, first + second + b"" + gzip.compress(b"\n", mtime=0) + third).sections
    both = len(first) + len(second)
    assert sections.keys() == {"shop-a", "shop-b", "shop-c"}
    assert (sections["shop-a"].offset, sections["shop-a"].rows) == (0, 2)
    assert sections["shop-a"].length >= both
    assert sections["shop-c"].offset >= both


@pytest.mark.parametrize(
    "content", [b"", b"text", gzip.compress(b"{}", mtime=0)[:-1], gzip.compress(b"{}", mtime=0) + b"text"]
)
def test_manifest__of_what_is_not_gzip__is_refused(content: bytes) -> None:
    with pytest.raises(InvalidRawObjectError):
        manifest_of(KEY, content)


def test_manifest__written__is_read_back() -> None:
    _, manifest = two_shops()
    assert read_manifest(manifest.encoded()) == manifest
    assert raw_key_of(manifest_key(KEY)) == KEY


@pytest.mark.parametrize("content", [b"", b"[]", b'{"object": "x"}', b'{"object": "x", "shops": {"a": [1]}}'])
def test_manifest__damaged__is_refused(content: bytes) -> None:
    with pytest.raises(InvalidManifestError):
        read_manifest(content)


def test_manifest__of_an_older_object__names_all_of_it_for_each_shop() -> None:
    manifest = whole_object(KEY, 500, [row(shop_id="shop-a"), row(shop_id="shop-b"), row(shop_id="shop-b")])
    assert {shop_id: (one.offset, one.length, one.rows) for shop_id, one in manifest.sections.items()} == {
        "shop-a": (0, 500, 1),
        "shop-b": (0, 500, 2),
    }


def test_entries__one_after_the_other__lead_from_the_newest_news_to_the_first() -> None:
    _, first_manifest = two_shops()
    _, other = sectioned(raw_key(["m-2"], BEGIN), [row(shop_id="shop-b")])
    first = next_entry(None, BEGIN, [first_manifest])
    second = next_entry(first, BEGIN + 1, [other])
    third = next_entry(second, BEGIN + 2, [])
    assert (first.offset, second.offset, third.offset) == (1, 2, 3)
    assert third.heads == {"shop-a": 1, "shop-b": 2}
    assert (second.shops["shop-b"].before, first.shops["shop-b"].before) == (1, 0)
    assert list(second.shops) == ["shop-b"]


def test_entry__written__is_read_back_whole_and_by_shop() -> None:
    _, manifest = two_shops()
    entry = next_entry(FeedEntry(offset=41, began_at=1, heads={"shop-a": 7}), BEGIN, [manifest])
    content = encoded(entry)
    assert read_entry(content) == entry
    assert read_news(content, "shop-a") == entry.shops["shop-a"]
    assert read_news(content, "shop-a") is not None
    assert entry.shops["shop-a"].before == 7
    assert read_news(content, "shop-c") is None


@pytest.mark.parametrize(
    "content",
    [b"", b"{}", gzip.compress(b"", mtime=0), gzip.compress(b"{}\n{}", mtime=0), gzip.compress(b"1\n2\n3", mtime=0)],
)
def test_entry__damaged__is_refused(content: bytes) -> None:
    with pytest.raises(InvalidFeedEntryError):
        read_entry(content)


def test_entry__cut_short__is_refused() -> None:
    content = encoded(next_entry(None, BEGIN, [two_shops()[1]]))
    for end in range(len(content)):
        with pytest.raises(InvalidFeedEntryError):
            read_entry(content[:end])
        with pytest.raises(InvalidFeedEntryError):
            read_news(content[:end], "shop-a")


def test_keys__of_later_entries__come_first() -> None:
    assert feed_key(10) < feed_key(9) < feed_key(1)
    assert offset_of_key(feed_key(123)) == 123
