"""URL rules: conformance lines, third-party cases, and what the words of the rule mean at the edges."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from ada_url import URL

from abtest.domain.targeting.urls import compile_rule, matches, matches_compiled, parse_address

DATA = Path("tests/data")
LINES = [json.loads(line) for line in (DATA / "conformance/url.jsonl").read_text().splitlines()]
THIRD_PARTY = json.loads((DATA / "growthbook/url_cases.json").read_text())["cases"]


@pytest.mark.parametrize("line", LINES, ids=lambda line: str(line["id"]))
def test_matches__of_a_conformance_line__is_the_expected_answer(line: dict[str, Any]) -> None:
    inputs = line["inputs"]
    assert matches(inputs["type"], inputs["pattern"], inputs["url"]) is line["expected"]["matches"]


@pytest.mark.parametrize(("kind", "url", "pattern", "expected"), THIRD_PARTY)
def test_matches__of_a_third_party_case__is_its_answer(kind: str, url: str, pattern: str, expected: bool) -> None:
    assert matches(kind, pattern, url) is expected


@pytest.mark.parametrize(
    ("pattern", "url", "expected"),
    [
        pytest.param("/foo", "https://any.example/FOO/", True, id="a path compares no host, case or outer slash"),
        pytest.param("/foo", "https://any.example/foo//", False, id="only one outer slash is forgiven"),
        pytest.param(
            "shop.example/foo", "http://shop.example/foo", True, id="a host needs no scheme, and none is compared"
        ),
        pytest.param("localhost:3000/foo", "http://localhost:3000/foo", False, id="without a dot it is a scheme"),
        pytest.param("https://localhost:3000/foo", "http://localhost:3000/foo", True, id="a port is part of the host"),
        pytest.param("https://shop.example:443/", "https://shop.example/", True, id="the scheme's own port is none"),
        pytest.param("*.shop.example/", "https://a.b.shop.example/", True, id="a star spans labels"),
        pytest.param("https://*/foo", "https://shop.example/foo", True, id="any host"),
        pytest.param("https://*/foo", "/foo", True, id="any host, also of a relative address"),
        pytest.param("https://shop.example/foo", "/foo", False, id="a relative address is on no given host"),
        pytest.param("*://shop.example/x", "https://shop.example/x", False, id="a star for the scheme makes it a path"),
        pytest.param("*://shop.example/x", "https://a.example/z://shop.example/x", True, id="an ordinary path"),
        pytest.param("/foo?a=1", "https://x.example/foo?a=1&a=2", True, id="the first value counts"),
        pytest.param("/foo?a=2", "https://x.example/foo?a=1&a=2", False, id="the second value does not"),
        pytest.param("/foo?a=", "https://x.example/foo", True, id="a missing value is an empty one"),
        pytest.param("/foo?a=*", "https://x.example/foo", True, id="a star is any value, also none"),
        pytest.param("/foo?a=x*", "https://x.example/foo?a=x%0Ay", True, id="a star crosses lines"),
        pytest.param("/foo?a=x%2Ay", "https://x.example/foo?a=xzy", False, id="an escaped star is a star"),
        pytest.param("/foo?a=x%2Ay", "https://x.example/foo?a=x*y", True, id="an escaped star is found"),
        pytest.param("/foo?a=b+c", "https://x.example/foo?a=b%20c", True, id="values are decoded"),
        pytest.param("/foo?a=é", "https://x.example/foo?a=É", True, id="values ignore case beyond ASCII"),
        pytest.param("/foo?a=k", "https://x.example/foo?a=\u212a", False, id="the Kelvin sign is no k"),
        pytest.param("/foo?a=ß", "https://x.example/foo?a=ẞ", False, id="one letter does not become two"),
        pytest.param(
            "/foo?a=\U00010428", "https://x.example/foo?a=\U00010400", False, id="astral letters have no case"
        ),
        pytest.param("/foo#top", "https://x.example/foo#TOP", True, id="a given hash is compared without case"),
        pytest.param("/foo#top", "https://x.example/foo", False, id="a given hash must be there"),
        pytest.param("/foo", "https://x.example/foo#top", True, id="a hash that is not given may be there"),
        pytest.param("/a|b", "https://x.example/a%7Cb", True, id="browsers disagree on the bar"),
        pytest.param("/_____", "https://x.example/foo", False, id="underscores are no wildcard"),
        pytest.param("/\ud800", "https://x.example/%EF%BF%BD", True, id="a lone surrogate is U+FFFD"),
        pytest.param("https://exa mple/", "https://x.example/", False, id="a pattern that is no address"),
        pytest.param("https://x.example:*/", "https://x.example:1/", False, id="a port that is no port"),
    ],
)
def test_simple_rule(pattern: str, url: str, expected: bool) -> None:
    assert matches("simple", pattern, url) is expected


@pytest.mark.parametrize(
    ("pattern", "url", "expected"),
    [
        pytest.param("^https://x", "https://x.example/foo", True, id="the full address"),
        pytest.param("^/foo$", "https://x.example/foo", True, id="the address without its origin"),
        pytest.param("/FOO", "https://x.example/foo", False, id="case counts"),
        pytest.param("(", "https://x.example/(", False, id="a broken expression"),
        pytest.param(r"\b+", "https://x.example/", False, id="a repeated boundary is broken"),
        pytest.param(r"[\b+]", "https://x.example/a+b", True, id="in a class it is a character"),
        pytest.param(r"\\b+", "https://x.example/b", False, id="an escaped backslash before a letter"),
        pytest.param(r"^/\u{2}$", "https://x.example/uu", True, id="no code point escapes without the u flag"),
        pytest.param("[😀]?foo", "https://x.example/foo", True, id="astral characters are two units"),
        pytest.param("😀?foo", "https://x.example/foo", False, id="of which a quantifier takes the second"),
        pytest.param("^/%E2%82%AC$", "https://x.example/€", True, id="addresses are escaped"),
    ],
)
def test_regex_rule(pattern: str, url: str, expected: bool) -> None:
    assert matches("regex", pattern, url) is expected


def test_regex_rule__on_an_address_too_long_to_bound__does_not_match() -> None:
    assert not matches("regex", "a$", f"https://x.example/{'a' * 9000}")


def test_rule__of_an_unknown_type__matches_nothing() -> None:
    assert not matches("glob", "*", "https://x.example/")


def test_compiled_rule__of_a_broken_expression__is_one_that_browsers_can_compile() -> None:
    assert compile_rule("regex", "(") == {"re": "[]"}


def test_compiled_rule__has_the_parts_that_the_pattern_gives() -> None:
    assert compile_rule("simple", "shop.example/a*b?x=1&y=*#top") == {
        "host": r"shop\.example",
        "path": r"\/?a[^]*b\/?",
        "query": [["x", "1"], ["y", "[^]*"]],
        "hash": "#top",
    }


def test_compiled_rule__with_many_wildcards__answers_at_once_on_a_long_address() -> None:
    rule = compile_rule("simple", "/" + "*a" * 240 + "*b")
    begun = time.process_time()
    assert not matches_compiled(rule, f"https://x.example/{'a' * 4000}")
    assert time.process_time() - begun < 0.2


def test_compiled_rule__with_many_wildcards__finds_the_leftmost_places() -> None:
    assert matches("simple", "/*a*b*c*d", "https://x.example/xxaxbbcxcxdxd")
    assert not matches("simple", "/*a*b*c*d", "https://x.example/xxaxbbcxcxdxdx")


@pytest.mark.parametrize(
    "url",
    [
        "https://shop.example",
        "http://user:pass@shop.example:8080/a/b?c=d?e#f#g",
        "https://[::1]:444/?#",
        "https://shop.example/a?",
        "https://shop.example/#x?y",
        "https://shop.example/a@b/c?d@e",
        "HTTPS://BÜCHER.example/%2F//x y?ü#é",
        "https://:pw@shop.example//",
        "https:shop.example",
        "//shop.example/a",
        "/a?b",
        "ftp://shop.example/a",
        "mailto:a@b",
        "data:text/plain,x",
    ],
)
def test_address__has_the_parts_that_a_browser_would_name(url: str) -> None:
    browser = URL(url, base="https://_")
    parts = (browser.href, browser.origin, browser.host, browser.pathname, browser.search, browser.hash)
    assert parse_address(url) == parts
