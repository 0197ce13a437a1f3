"""Jar of a session: which cookies it stores, sends and shows to scripts, as a browser does (RFC 6265bis)."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.preview.jar import MAX_JAR_BYTES, Jar
from abtest.domain.preview.set_cookie import split_lines

NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
SHOP = "https://www.shop.example/cart/items?x=1"


def stored(*lines: str, url: str = SHOP) -> Jar:
    return Jar().stored(url, lines, NOW)


@pytest.mark.parametrize(
    ("line", "url", "sent"),
    [
        ("a=1", "https://www.shop.example/cart/", "a=1"),
        ("a=1", "https://www.shop.example/cart", "a=1"),
        ("a=1", "https://www.shop.example/", ""),
        ("a=1; Path=/", "https://www.shop.example/", "a=1"),
        ("a=1; Path=/ca", "https://www.shop.example/cart", ""),
        ("a=1; Path=/", "https://shop.example/", ""),
        ("a=1; Path=/", "https://api.www.shop.example/", ""),
        ("a=1; Path=/; Domain=.Shop.example", "https://api.shop.example/", "a=1"),
        ("a=1; Path=/; Domain=shop.example", "https://notshop.example/", ""),
        ("a=1; Path=/; Domain=other.example", "https://other.example/", ""),
        ("a=1; Path=/; Domain=api.shop.example", "https://api.shop.example/", ""),
        ("a=1; Path=/; Secure", "https://www.shop.example/", "a=1"),
        ("a=1; Path=/; Secure", "http://www.shop.example/", ""),
        ("a=1; Path=/; Path=nonsense", "https://www.shop.example/cart", "a=1"),
        ("  a b = c d ; Path=/", "https://www.shop.example/", "a b=c d"),
        ("bare; Path=/", "https://www.shop.example/", "bare"),
        ("=bare; Path=/", "https://www.shop.example/", "bare"),
        ("a=b=c; Path=/", "https://www.shop.example/", "a=b=c"),
        ("; Path=/", "https://www.shop.example/", ""),
        ("a=1\x002; Path=/", "https://www.shop.example/", ""),
        ("a=" + "x" * 4096 + "; Path=/", "https://www.shop.example/", ""),
        ("a=1; Path=/" + "x" * 1100, "https://www.shop.example/cart", "a=1"),
        ("a=1; Path=/; SameSite=None", "https://www.shop.example/", ""),
        ("a=1; Path=/; SameSite=None; Secure", "https://www.shop.example/", "a=1"),
    ],
)
def test_cookie__stored__goes_to_its_domain_and_path_only(line: str, url: str, sent: str) -> None:
    assert stored(line).cookie_header(url, NOW) == sent


@pytest.mark.parametrize(
    ("line", "lives"),
    [
        ("a=1; Max-Age=60", [True, False]),
        ("a=1; Max-Age=0", [False, False]),
        ("a=1; Max-Age=-5", [False, False]),
        ("a=1; Max-Age=sixty", [True, True]),
        ("a=1; Expires=Mon, 23 Nov 2026 12:01:00 GMT", [True, False]),
        ("a=1; Expires=Monday, 23-Nov-26 12:01:00 GMT", [True, False]),
        ("a=1; Expires=Mon Nov 23 12:01:00 2026", [True, False]),
        ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT", [False, False]),
        ("a=1; Expires=Thu, 31 Feb 2026 00:00:00 GMT", [True, True]),
        ("a=1; Expires=soon", [True, True]),
        ("a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Max-Age=60", [True, False]),
        ("a=1; Max-Age=99999999999999999999", [True, True]),
    ],
)
def test_cookie__with_an_end__is_sent_until_then(line: str, lives: list[bool]) -> None:
    jar = stored(line)
    assert [bool(jar.cookie_header(SHOP, NOW + timedelta(seconds=wait))) for wait in (0, 61)] == lives


def test_cookie__with_a_far_end__lasts_400_days() -> None:
    jar = stored("a=1; Max-Age=99999999999")
    assert jar.cookie_header(SHOP, NOW + timedelta(days=399))
    assert not jar.cookie_header(SHOP, NOW + timedelta(days=401))


@pytest.mark.parametrize(
    ("host", "domain", "shared"),
    [
        ("shop.co.uk", "co.uk", False),
        ("me.github.io", "github.io", False),
        ("shop.co.uk", "shop.co.uk", True),
        ("a.myshopify.com", "myshopify.com", False),
        ("localhost", "localhost", True),
        ("127.0.0.1", "127.0.0.1", True),
        ("127.0.0.1", "0.0.1", False),
        ("xn--bcher-kva.example", "example", False),
    ],
)
def test_cookie__for_a_public_suffix__is_ignored(host: str, domain: str, shared: bool) -> None:
    jar = stored(f"a=1; Path=/; Domain={domain}", url=f"https://{host}/")
    assert bool(jar.cookie_header(f"https://{host}/", NOW)) is shared


@pytest.mark.parametrize(
    ("line", "is_kept"),
    [
        ("__Secure-a=1", False),
        ("__Secure-a=1; Secure", True),
        ("__Host-a=1; Secure; Path=/", True),
        ("__HOST-a=1; Secure", False),
        ("__Host-a=1; Secure; Path=/; Domain=shop.example", False),
        ("__Http-a=1; Secure", False),
        ("__Http-a=1; Secure; HttpOnly", True),
        ("__Host-Http-a=1; Secure; HttpOnly; Path=/", True),
        ("=__Host-a=1; Secure; Path=/", False),
    ],
)
def test_cookie__with_a_prefix__is_kept_only_with_what_it_promises(line: str, is_kept: bool) -> None:
    assert bool(stored(line).cookies) is is_kept


def test_secure_cookie__set_without_https__is_ignored() -> None:
    assert stored("a=1; Secure", url="http://shop.example/").cookies == ()
    assert stored("a=1; Secure", url="http://localhost:8000/").cookies


def test_secure_cookie__overwritten_without_https__stays() -> None:
    jar = stored("a=1; Secure; Path=/; Domain=shop.example")
    jar = jar.stored("http://www.shop.example/", ["a=2; Path=/"], NOW)
    assert jar.cookie_header(SHOP, NOW) == "a=1"


def test_http_only_cookie__of_scripts__is_neither_shown_nor_written() -> None:
    jar = stored("s=1; Path=/; HttpOnly", "a=1; Path=/")
    assert jar.visible(SHOP, NOW) == "a=1"
    jar = jar.written(SHOP, "s=2; Path=/", NOW).written(SHOP, "h=3; HttpOnly", NOW).written(SHOP, "b=4", NOW)
    assert jar.cookie_header(SHOP, NOW) == "b=4; s=1; a=1"


def test_cookies__sent__have_longer_paths_and_older_ones_first() -> None:
    jar = stored("a=1; Path=/", "b=2; Path=/cart", "c=3; Path=/").stored(SHOP, ["a=9; Path=/"], NOW)
    assert jar.cookie_header(SHOP, NOW) == "b=2; a=9; c=3"


def test_jar__over_its_size__drops_the_oldest() -> None:
    jar = Jar()
    for number in range(40):
        jar = jar.stored(SHOP, [f"c{number}=" + "ü" * 1500], NOW)
    assert len(json.dumps(jar.document(), ensure_ascii=False).encode()) <= MAX_JAR_BYTES
    assert jar.cookies[-1].name == "c39"
    assert jar.cookies[0].name > "c10"


def test_jar__stored_and_loaded__is_the_same() -> None:
    jar = stored("a=1; Max-Age=60; HttpOnly", "b=2; Domain=shop.example; Secure")
    assert Jar.of(json.loads(json.dumps(jar.document()))) == jar


@given(st.lists(st.text(max_size=80), max_size=5), st.text(max_size=80))
def test_jar__any_lines__neither_raises_nor_leaks_to_another_host(lines: list[str], text: str) -> None:
    jar = stored(*lines).written(SHOP, text, NOW)
    assert jar.cookie_header("https://elsewhere.example/", NOW) == ""
    assert "\r" not in jar.cookie_header(SHOP, NOW)
    assert "\n" not in jar.cookie_header(SHOP, NOW)


@pytest.mark.parametrize(
    ("joined", "lines"),
    [
        ("", []),
        ("a=1", ["a=1"]),
        ("a=1; Path=/, b=2", ["a=1; Path=/", "b=2"]),
        (
            "a=1; expires=Mon, 23 Nov 2026 12:01:00 GMT; Path=/, b=2; Expires=Tue, 24-Nov-26 12:01:00 GMT,c=3",
            ["a=1; expires=Mon, 23 Nov 2026 12:01:00 GMT; Path=/", "b=2; Expires=Tue, 24-Nov-26 12:01:00 GMT", "c=3"],
        ),
        ("," * 100_000, ["," * 100_000]),
    ],
)
def test_split_lines__joined_by_commas__are_the_lines_of_the_response(joined: str, lines: list[str]) -> None:
    assert split_lines(joined) == lines
