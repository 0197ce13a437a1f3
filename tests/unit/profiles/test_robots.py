"""Robots rules and sitemaps, and the choice of pages from them."""

from __future__ import annotations

import gzip
import time

import pytest

from abtest.domain.profiles.choice import MAX_PAGES, QUOTAS, candidates, chosen, sitemaps_first
from abtest.domain.profiles.robots import MAX_DELAY, MAX_ROBOTS, Robots, robots_of
from abtest.domain.profiles.sitemap import MAX_LOCATIONS, MAX_UNPACKED, read_sitemap
from tests.support.stores import page

HOME = "https://store.example/"


def test_rules__for_our_product_token__come_before_those_for_all() -> None:
    robots = Robots(
        "User-agent: *\nDisallow: /\n\nUser-agent: abtest-store-profile\nDisallow: /cart\nAllow: /cart/help\n"
    )
    assert robots.allows(f"{HOME}products/a")
    assert not robots.allows(f"{HOME}cart")
    assert robots.allows(f"{HOME}cart/help")


def test_rules__with_wildcards__hold_for_their_addresses() -> None:
    robots = Robots("User-agent: *\nDisallow: /*?sort=\nDisallow: /*.pdf$\nSitemap: https://store.example/s.xml\n")
    assert not robots.allows(f"{HOME}a?sort=1")
    assert not robots.allows(f"{HOME}a.pdf")
    assert robots.allows(f"{HOME}a.pdf.html")
    assert robots.sitemaps == ["https://store.example/s.xml"]


@pytest.mark.parametrize(("text", "delay"), [("", 0), ("Crawl-delay: 2.5", 2.5), ("Crawl-delay: 86400", MAX_DELAY)])
def test_delay__is_obeyed_up_to_a_limit(text: str, delay: float) -> None:
    assert Robots(f"User-agent: *\n{text}\n").delay == delay


@pytest.mark.parametrize(
    ("status", "allows"), [(200, False), (404, True), (403, True), (401, True), (429, None), (500, None), (503, None)]
)
def test_status__of_the_file__decides_where_there_is_none(status: int, allows: bool | None) -> None:
    robots = robots_of(status, b"User-agent: *\nDisallow: /\n")
    assert (robots.allows(HOME) if robots else None) is allows


def test_file__of_ten_megabytes__is_cut_at_a_line_and_read_in_time() -> None:
    started = time.process_time()
    robots = robots_of(200, b"User-agent: *\n" + b"Disallow: /*a*b*c*d$\nAllow: /x\n" * 330_000)
    assert robots is not None
    for number in range(50):
        assert robots.allows(f"{HOME}{'abc' * 300}{number}")
    assert time.process_time() - started < 15
    cut = b"User-agent: *\nDisallow: /private" + b"x" * MAX_ROBOTS
    assert robots_of(200, cut) is not None


@pytest.mark.parametrize(
    "body", [b"", b"\x00\xff\xfe", b"<html>", b"Disallow: /", "\ufeffUser-agent: *\nAllow: /".encode()]
)
def test_file__that_is_not_one__allows_everything(body: bytes) -> None:
    robots = robots_of(200, body)
    assert robots is not None
    assert robots.allows(HOME)


def urlset(*urls: str, kind: str = "urlset", item: str = "url") -> bytes:
    """Return a sitemap."""
    items = "".join(f"<{item}><loc>{url}</loc></{item}>" for url in urls)
    return f'<?xml version="1.0"?><{kind} xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{items}</{kind}>'.encode()


def test_sitemap__lists_its_addresses_without_entities() -> None:
    sitemap = read_sitemap(urlset(f"{HOME}a?b=1&amp;c=2", "<![CDATA[https://store.example/d]]>"))
    assert sitemap.locations == (f"{HOME}a?b=1&c=2", f"{HOME}d")
    assert (sitemap.is_index, sitemap.is_cut) == (False, False)
    assert read_sitemap(urlset(f"{HOME}s1.xml", kind="sitemapindex", item="sitemap")).is_index


def test_sitemap__with_image_addresses__lists_pages_only() -> None:
    body = b"<urlset><url><loc>https://a.example/p</loc><image:image><image:loc>https://a.example/i.png</image:loc>"
    assert read_sitemap(body).locations == ("https://a.example/p",)


def test_sitemap__that_is_packed__is_read_up_to_its_limit() -> None:
    assert read_sitemap(gzip.compress(urlset(f"{HOME}a"))).locations == (f"{HOME}a",)
    bomb = read_sitemap(gzip.compress(b"<loc>https://a.example/" + b"a" * 200_000_000))
    assert (bomb.locations, bomb.is_cut) == ((f"https://a.example/{'a' * 2030}",), True)
    assert read_sitemap(b"\x1f\x8b broken").locations == ()
    assert MAX_UNPACKED < 200_000_000


def test_sitemap__of_a_million_pages__is_cut() -> None:
    started = time.process_time()
    sitemap = read_sitemap(b"<urlset>" + b"<url><loc>https://a.example/p</loc></url>" * 1_000_000)
    assert (len(sitemap.locations), sitemap.is_cut) == (MAX_LOCATIONS, True)
    assert time.process_time() - started < 6


def test_sitemap__that_is_a_bomb_of_entities__is_text() -> None:
    body = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><urlset><url><loc>https://a.example/&b;</loc></url>'
    assert read_sitemap(body).locations == ("https://a.example/&b;",)


def test_choice__has_some_of_each_kind_and_twenty_at_most() -> None:
    urls = [f"{HOME}products/{n}" for n in range(100)] + [f"{HOME}collections/{n}" for n in range(100)]
    urls += [f"{HOME}pages/{n}" for n in range(100)] + [f"{HOME}cart", f"{HOME}basket"]
    pages = chosen(HOME, urls)
    assert len(pages) == MAX_PAGES
    assert {kind: sum(each == kind for each, _ in pages) for kind in QUOTAS} == dict(QUOTAS)
    assert (pages[0][1], pages[1][1]) == (f"{HOME}products/0", f"{HOME}products/12")


def test_choice__fills_the_places_of_kinds_that_are_rare() -> None:
    pages = chosen(HOME, [f"{HOME}products/{n}" for n in range(100)])
    assert [kind for kind, _ in pages] == ["product"] * MAX_PAGES


def test_choice__next_to_pages_that_are_taken__fills_what_they_leave() -> None:
    taken = chosen(HOME, [f"{HOME}collections/{n}" for n in range(3)] + [f"{HOME}cart"])
    assert len(taken) == 4
    urls = [f"{HOME}collections/{n}" for n in range(100)] + [f"{HOME}products/{n}" for n in range(100)] + [f"{HOME}bag"]
    more = chosen(HOME, urls, taken)
    assert not {url for _, url in more} & {url for _, url in taken}
    assert [kind for kind, _ in more].count("product") == 14
    assert [kind for kind, _ in more].count("collection") == 2
    assert chosen(HOME, urls, [("content", f"{HOME}{n}") for n in range(MAX_PAGES)]) == []


def test_choice__stays_on_the_store_and_takes_each_address_once() -> None:
    urls = [
        f"{HOME}products/a?variant=1",
        f"{HOME}products/a#reviews",
        HOME,
        f"{HOME}?utm_source=x",
        "https://other.example/products/b",
        "http://store.example/products/c",
        "https://store.example:8443/products/d",
        "https://store.example.evil.example/products/e",
        "not an address",
        f"{HOME}account/login",
    ]
    assert chosen(HOME, urls) == [("product", f"{HOME}products/a")]


def test_candidates__begin_with_the_links_of_the_home_page() -> None:
    home = page("<a href=/b>B</a>")
    assert list(candidates(home, [f"{HOME}a"])) == [f"{HOME}b", f"{HOME}a"]


def test_sitemaps__of_products_come_first() -> None:
    listed = [f"{HOME}{name}.xml" for name in ("blogs", "pages", "products", "pages")]
    assert sitemaps_first(listed) == [f"{HOME}{name}.xml" for name in ("products", "pages", "blogs")]
