"""Addresses of the shop at the proxy: only of allowed hosts, and back to what they were."""

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.preview.addresses import (
    PreviewSite,
    Requested,
    module_url,
    proxied,
    requested,
    requested_module,
)

SITE = PreviewSite(
    base="https://preview.svc.test", token="v1.k1.abc.def", hosts=frozenset({"shop.example", "shop.example:8000"})
)
PAGE = "https://preview.svc.test/api/preview?pst=v1.k1.abc.def&url="
MODULE = "https://preview.svc.test/api/preview/m/v1.k1.abc.def/"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://shop.example/", "https://shop.example/"),
        ("https://SHOP.example:443/a", "https://shop.example/a"),
        ("http://shop.example:8000/?a=1&b=2#top", "http://shop.example:8000/?a=1%26b=2#top"),
        ("https://shop.example/ü?q='+ \"", "https://shop.example/%25C3%25BC?q=%2527%2B%2520%2522"),
        ("https://me:secret@shop.example/a", "https://shop.example/a"),
    ],
)
def test_proxied__allowed_host__is_an_absolute_address_of_the_proxy(url: str, expected: str) -> None:
    assert proxied(SITE, url) == PAGE + expected


@pytest.mark.parametrize(
    "url",
    [
        "https://other.example/",
        "https://shop.example.evil.test/",
        "https://shop.example:8001/",
        "https://sub.shop.example/",
        "https://shop.example@other.example/",
        "ftp://shop.example/",
        "javascript:alert(1)",
        "data:text/html,x",
        "mailto:a@shop.example",
        "/relative",
        "https://",
        "",
        "https://[::1",
    ],
)
def test_proxied__anything_else__is_unchanged(url: str) -> None:
    assert (proxied(SITE, url), module_url(SITE, url)) == (url, url)


@given(
    path=st.text(st.characters(blacklist_categories=["Cs"]), max_size=40),
    query=st.text(st.characters(blacklist_categories=["Cs"]), max_size=40),
)
def test_round_trip__of_any_address__gives_the_address_that_a_browser_would_request(path: str, query: str) -> None:
    from ada_url import URL

    href = URL(f"https://shop.example/{path}?{query}").href
    at_proxy = urlsplit(proxied(SITE, href))
    assert requested(at_proxy.query) == Requested(SITE.token, href.partition("#")[0])
    script = urlsplit(module_url(SITE, href))
    back = requested_module(script.path, script.query)
    assert back.url is not None
    assert URL(back.url).href.rstrip("?") == href.partition("#")[0].rstrip("?")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", Requested(None, None)),
        ("pst=t", Requested("t", None)),
        ("url=https%3A%2F%2Fs%2F", Requested(None, "https://s/")),
        ("pst=t&url=https://s/a%3Fb=c", Requested("t", "https://s/a?b=c")),
        (
            "pst=t&url=https://s/find%3Fold=1&q=a+b&url=x&pst=y",
            Requested("t", "https://s/find?q=a+b&url=x&pst=y", False),
        ),
    ],
)
def test_requested__query__is_token_and_address_with_the_fields_of_a_form(query: str, expected: Requested) -> None:
    assert requested(query) == expected


@pytest.mark.parametrize(
    ("path", "query", "url"),
    [
        ("/api/preview/m/t/https/shop.example/js/a.js", "v=1", "https://shop.example/js/a.js?v=1"),
        ("/api/preview/m/t/http/shop.example:8000", "", "http://shop.example:8000/"),
        ("/api/preview/m/t/ftp/shop.example/a", "", None),
        ("/api/preview/m/t/https", "", None),
        ("/api/preview/m//https/a/b", "", None),
    ],
)
def test_requested_module__path__is_the_address_of_the_script(path: str, query: str, url: str | None) -> None:
    assert requested_module(path, query) == Requested("t" if url else None, url)
