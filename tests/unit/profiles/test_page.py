"""Reading of pages: what is taken from them, and what hostile ones cost."""

from __future__ import annotations

import time

import pytest

from abtest.domain.profiles.page import MAX_TEXT
from abtest.domain.profiles.page_reader import MAX_ITEMS, MAX_MARKS, MAX_TAGS, MAX_WORDS
from tests.support.stores import answer, page

SIZE = 3 * 1024 * 1024


def test_page__in_another_encoding__is_read_in_it() -> None:
    assert page("<title>Tücher".encode("cp1252"), content_type="text/html; charset=iso-8859-1").title == "Tücher"
    assert page("<meta charset=shift_jis><title>灯り".encode("shift_jis"), content_type="text/html").title == "灯り"


def test_addresses__are_read_against_the_base__and_only_web_addresses_are_kept() -> None:
    given = page(
        '<base href="https://cdn.example/a/"><link rel=stylesheet href=b.css><a href="mailto:a@b.example">M</a>'
        '<a href="javascript:alert(1)">J</a><a href="http://[">B</a><a href="../c">C</a>'
    )
    assert given.stylesheets == ["https://cdn.example/a/b.css"]
    assert [link.url for link in given.links] == ["https://cdn.example/c"]


def test_images__without_an_alternative__are_not_those_with_an_empty_one() -> None:
    given = page('<img src=a.png><img src=b.png alt=""><img src=c.png role=presentation><img src=d.png alt="A lamp">')
    assert given.images == 4
    assert given.images_without_alternative == ["https://store.example/a.png"]


def test_structured_data__of_a_graph__has_its_inner_objects() -> None:
    given = page(
        '<script type="application/ld+json">{"@graph": [{"@type": "WebSite"}, {"@type": ["Thing", "Product"], '
        '"offers": {"@type": "Offer", "priceCurrency": "CHF"}}]}</script>'
    )
    assert [product["@type"] for product in given.products] == [["Thing", "Product"]]
    assert given.currencies == ["CHF"]


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, '"\\ud800"', "null", "[1, [2]]", '{"@type": {"a": 1}}'])
def test_structured_data__that_is_broken__is_left_out(text: str) -> None:
    given = page(f'<title>T</title><script type="application/ld+json">{text}</script>')
    assert (given.title, given.products) == ("T", [])


def test_texts__have_no_characters_that_no_text_may_have() -> None:
    given = page("<title>a\x00b\u202ec\n\n d &#xD800; e</title>")
    assert given.title == "a\ufffdbc d \ufffd e"
    assert given.title.encode()


@pytest.mark.parametrize(
    ("content_type", "body", "is_html"),
    [
        ("text/html; charset=utf-8", b"", True),
        ("application/xhtml+xml", b"<html/>", True),
        ("", b"<!doctype html>", True),
        ("", b"%PDF-1.7", False),
        ("application/json", b"<html>", False),
    ],
)
def test_answer__is_a_page_by_its_type(content_type: str, body: bytes, is_html: bool) -> None:
    given = answer(body, content_type=content_type)
    assert given.is_html is is_html
    if not is_html:
        assert page(body, content_type=content_type).headings == []


@pytest.mark.parametrize(
    "piece",
    [
        "<div>",
        "<b><i>",
        "<a href=/x class=btn>x<div>",
        "<h1>x<div>",
        "<button>word <span>",
        "<table><tr><td>",
        "<svg><math>",
        "<p id=a data-a x-b>",
        "<img src=/a>",
        "<script>dataLayer.push(",
        "<script>x</script>",
        "<!--",
        "<",
        "<a ",
        "&amp;",
        "\x00",
        "word ",
        '<script type="application/ld+json">[{"@type":"Product"}]</script>',
    ],
)
def test_page__of_three_mebibytes_of_anything__is_read_in_time_and_bounded(piece: str) -> None:
    started = time.process_time()
    given = page(piece * (SIZE // len(piece)))
    assert time.process_time() - started < 10
    for items in (given.links, given.headings, given.buttons, given.scripts, given.data, given.loaded):
        assert len(items) <= MAX_ITEMS
    assert len(given.text) <= 64 * 1024
    assert len(given.marks) <= MAX_MARKS + 10


@pytest.mark.parametrize(
    "body",
    [
        f'<a class="{"btn " * 700_000}" href="/a">A</a>',
        f'<p id="{"x" * SIZE}" class="{"x" * 100}">',
        f'<a href="/{"x" * SIZE}">A</a><img src="data:image/png;base64,{"x" * 100}">',
        f'<meta name="{"x" * 1_000_000}" content="{"y" * 2_000_000}">',
        f'<html lang="{"x" * SIZE}">',
        f'<base href="https://store.example/{"x" * SIZE}"><a href="b">B</a>',
        "<p " + " ".join(f"data-{number}=1" for number in range(200_000)) + ">",
        "<p " + "x='" * 1_000_000,
        "<div>" * 100_000 + "<h1>deep</h1>",
        "<div><span><p><b>" * 100_000 + "text",
        f"<title>{'T' * SIZE}</title>",
        f'<script type="application/ld+json">{"[" * 100_000}{"]" * 100_000}</script>',
        '<script type="application/ld+json">' + '{"@type":"Product","a":' * 5_000 + "1" + "}" * 5_000 + "</script>",
    ],
    ids=lambda body: body[:12],
)
def test_page__with_huge_or_deep_parts__is_read_in_time_and_bounded(body: str) -> None:
    started = time.process_time()
    given = page(body)
    assert time.process_time() - started < 10
    assert len(given.title) <= MAX_TEXT
    assert len(given.language) <= 35
    assert all(len(name) + len(content) <= 100 + MAX_TEXT for name, content in given.metas)
    assert all(len(link.url) <= 2048 for link in given.links)
    assert len(given.marks) <= MAX_MARKS + 10
    assert all(len(mark) <= 101 for mark in given.marks)


def test_page__with_too_many_tags__is_read_up_to_its_limit() -> None:
    given = page("<title>T</title>" + "<p>" * MAX_TAGS + "<h1>Too late</h1>")
    assert (given.title, given.headings) == ("T", [])
    assert MAX_WORDS > SIZE


def test_bytes__of_any_kind__are_read_without_an_error() -> None:
    given = page(bytes(range(256)) * 4_000)
    assert given.bytes == 1_024_000
