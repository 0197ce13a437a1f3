"""Addresses of landing pages: one spelling for each, and reserved paths in every spelling."""

from __future__ import annotations

import string
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.pages.addresses import (
    RESERVED,
    InvalidPathError,
    ReservedPathError,
    normalized_host,
    normalized_path,
    page_address,
    refuse_reserved,
)


@pytest.mark.parametrize(
    ("spelling", "path"),
    [
        ("/", "/"),
        ("//", "/"),
        ("/..", "/"),
        ("/guide", "/guide"),
        ("/guide/", "/guide"),
        ("//guide//spring/", "/guide/spring"),
        ("/./guide/../guide/%2e%2E/tips", "/tips"),
        ("/%67uide", "/guide"),
        ("/Guide", "/Guide"),
        ("/gr%C3%B6%C3%9Fe", "/größe"),
        ("/gro\u0308ße", "/größe"),
        ("/gro%CC%88%C3%9fe", "/größe"),
        ("/a b", "/a%20b"),
        ("/a%20b", "/a%20b"),
        ("/a%2cb", "/a,b"),
        ("/50%25", "/50%25"),
        ("/%2561pi", "/%2561pi"),
        ("/what%3F", "/what%3F"),
        ("/...", "/..."),
    ],
)
def test_path__in_any_spelling__has_one(spelling: str, path: str) -> None:
    assert normalized_path(spelling) == path


@pytest.mark.parametrize(
    "path",
    [
        *(
            "",
            "guide",
            "/a?b",
            "/a#b",
            "/a\\b",
            "/*",
            "/a%2Ab",
            "/a%2a",
            "/%",
            "/%4",
            "/%zz",
            "/%2Fapi",
            "/a%5cb",
            "/%00",
            "/a%0Ab",
            "/%7f",
            "/%ff",
        ),
        *("/\ud800", "/a\nb", "/\u202e", "/" + "x" * 512, "/" + "ö" * 256),
    ],
)
def test_path__that_no_page_can_have__is_refused(path: str) -> None:
    with pytest.raises(InvalidPathError):
        normalized_path(path)


def test_path__of_512_bytes__is_the_longest() -> None:
    assert len(normalized_path("/" + "x" * 511)) == 512


PATHS = st.lists(st.text(st.characters(codec="utf-8"), max_size=6) | st.sampled_from(["..", ".", "", "%41", "%"]))


@given(PATHS)
def test_path__normalized_again__is_the_same(segments: list[str]) -> None:
    try:
        path = normalized_path("/" + "/".join(segments))
    except InvalidPathError:
        return
    assert normalized_path(path) == path
    # A browser sends the address of a page escaped, which leads to the same page.
    assert normalized_path(page_address("shop.example", path).removeprefix("https://shop.example")) == path


@given(st.lists(st.text(string.ascii_letters + string.digits + "-._~ö,", min_size=1), min_size=1), st.data())
def test_path__escaped_in_any_way__has_one_spelling(segments: list[str], data: st.DataObject) -> None:
    plain = "/" + "/".join(segments)
    escapes = [
        data.draw(st.sampled_from([character, "".join(f"%{byte:02x}" for byte in character.encode())]))
        if character != "/"
        else data.draw(st.sampled_from(["/", "//", "/./", "/x/../"]))
        for character in plain
    ]
    try:
        expected = normalized_path(plain)
    except InvalidPathError:
        return
    # Segments of dots only would change what the inserted ones are relative to.
    if not any(set(segment) <= {"."} for segment in segments):
        assert normalized_path("".join(escapes)) == expected


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_reserved_path__in_every_spelling__is_refused(name: str) -> None:
    escaped = "".join(f"%{byte:02X}" for byte in name.encode())
    for spelling in (name, name.upper(), escaped, f"/{name}", f"x/../{name}", f"./{name}/", f"{name}/guide"):
        with pytest.raises(ReservedPathError) as refusal:
            refuse_reserved(normalized_path(f"/{spelling}"), "publish_path")
        assert (refusal.value.status, refusal.value.code) == (422, "reserved_path")
        assert refusal.value.fields[0].path == "publish_path"


@pytest.mark.parametrize(
    "path", ["/", "/apis", "/guide/api", "/health-tips", "/carts", "/s-2", "/.well", "/.well-knowns"]
)
def test_path__that_only_resembles_a_reserved_one__is_accepted(path: str) -> None:
    refuse_reserved(normalized_path(path), "publish_path")


@pytest.mark.parametrize(
    "host", ["shop.example", "Shop.Example", "SHOP.example:8443", "shop.example:", "shop.example.", "shop.example.:80"]
)
def test_host__in_any_spelling__has_one(host: str) -> None:
    assert normalized_host(host) == "shop.example"


def test_address__of_a_path__is_escaped_for_browsers() -> None:
    assert page_address("shop.example", "/größe/a%20b") == "https://shop.example/" + quote("größe") + "/a%20b"
