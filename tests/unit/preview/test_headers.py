"""Headers of both ways: the shop sees its own page ask, the browser sees no policy and no cookie of the shop."""

import pytest

from abtest.domain.preview.addresses import PreviewSite, module_url, proxied
from abtest.domain.preview.headers import ADDED, redirected, refreshed, request_headers, response_headers

SITE = PreviewSite(base="https://p.test", token="T", hosts=frozenset({"shop.example", "api.shop.example"}))
TARGET = "https://shop.example/basket/add"
PAGE = "https://shop.example/catalogue?page=2"


def sent(headers: dict[str, str], target: str = TARGET, cookie: str = "") -> dict[str, str]:
    return request_headers(headers, site=SITE, target_url=target, jar_cookie=cookie)


def test_request__of_a_page__has_the_origin_and_referer_of_the_shop() -> None:
    headers = {
        "host": "p.test",
        "origin": "https://p.test",
        "referer": proxied(SITE, PAGE),
        "cookie": "console=secret",
        "authorization": "Bearer secret",
        "x-svc-shop": "x",
        "x-forwarded-for": "203.0.113.9",
        "x-amzn-trace-id": "x",
        "accept-encoding": "zstd",
        "connection": "close",
        "if-none-match": "x",
        "content-length": "3",
        "user-agent": "Chromium",
        "accept": "*/*",
        "x-requested-with": "XMLHttpRequest",
        "x-csrftoken": "c",
        "content-type": "application/json",
        "sec-fetch-site": "same-origin",
        "sec-fetch-dest": "empty",
    }
    assert sent(headers, cookie="csrftoken=c") == {
        "origin": "https://shop.example",
        "referer": PAGE,
        "cookie": "csrftoken=c",
        "user-agent": "Chromium",
        "accept": "*/*",
        "x-requested-with": "XMLHttpRequest",
        "x-csrftoken": "c",
        "content-type": "application/json",
        "sec-fetch-site": "same-origin",
        "sec-fetch-dest": "empty",
    }


def test_request__to_another_host_of_the_shop__names_the_origin_of_the_page_only() -> None:
    headers = {"origin": "https://p.test", "referer": proxied(SITE, PAGE), "sec-fetch-dest": "empty"}
    assert sent(headers, "https://api.shop.example/x") == {
        "origin": "https://shop.example",
        "referer": "https://shop.example/",
        "sec-fetch-site": "same-site",
        "sec-fetch-dest": "empty",
    }


@pytest.mark.parametrize(
    "referer",
    [
        "",
        "https://p.test/",
        "https://p.test/api/preview?pst=other&url=https://shop.example/",
        "https://p.test/api/preview?pst=T&url=https://other.example/",
        "https://console.test/api/preview?pst=T&url=https://shop.example/",
        "https://[",
        "nonsense",
    ],
)
def test_request__from_elsewhere__has_the_origin_of_its_target_and_no_referer(referer: str) -> None:
    assert sent({"origin": "null", "referer": referer}) == {"origin": "https://shop.example"}


def test_request__from_a_script__has_the_script_as_its_referer() -> None:
    headers = {"referer": module_url(SITE, "https://shop.example/a.js?v=1")}
    assert sent(headers) == {"referer": "https://shop.example/a.js?v=1"}


def test_response__with_policies_and_cookies__has_ours_alone() -> None:
    headers = [
        ("Content-Type", "text/html"),
        ("Content-Disposition", "inline"),
        ("X-Total", "3"),
        ("X-Total", "4"),
        ("Set-Cookie", "a=1"),
        ("Content-Security-Policy", "frame-ancestors 'none'"),
        ("X-Frame-Options", "DENY"),
        ("Strict-Transport-Security", "max-age=1"),
        ("Cross-Origin-Opener-Policy", "same-origin"),
        ("Access-Control-Allow-Origin", "*"),
        ("Clear-Site-Data", '"*"'),
        ("Link", "</a.css>; rel=preload"),
        ("Cache-Control", "public"),
        ("Referrer-Policy", "unsafe-url"),
        ("Content-Encoding", "gzip"),
        ("Content-Length", "1"),
        ("Transfer-Encoding", "chunked"),
        ("Service-Worker-Allowed", "/"),
        ("WWW-Authenticate", "Basic"),
        ("X-Svc-Session", "forged"),
    ]
    assert response_headers(headers, site=SITE, target_url=TARGET) == [
        *ADDED,
        ("content-type", "text/html"),
        ("content-disposition", "inline"),
        ("x-total", "3"),
        ("x-total", "4"),
    ]


def test_response__with_a_redirect_or_refresh__leads_through_the_proxy() -> None:
    headers = [("Location", "/basket/"), ("Refresh", "0;url=/basket/")]
    mapped = proxied(SITE, "https://shop.example/basket/")
    shown = response_headers(headers, site=SITE, target_url=TARGET)
    assert shown[-2:] == [("location", mapped), ("refresh", f"0; url={mapped}")]
    script = response_headers(headers[:1], site=SITE, target_url=TARGET, as_module=True)
    assert script[-1] == ("location", module_url(SITE, "https://shop.example/basket/"))


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("https://pay.example/x", "https://pay.example/x"),
        ("//pay.example", "https://pay.example/"),
        ("http://[", "http://["),
        ("javascript:alert(1)", "javascript:alert(1)"),
    ],
)
def test_redirect__to_another_host__stays(location: str, expected: str) -> None:
    assert redirected(location, site=SITE, target_url=TARGET) == expected


@pytest.mark.parametrize(
    ("content", "address"),
    [
        ("5", None),
        ("5; url=https://other.example/", None),
        ("5,url = '/x' y", "https://shop.example/x"),
        ("0;/x", "https://shop.example/x"),
        ('0;URL="/x"', "https://shop.example/x"),
        (";", None),
    ],
)
def test_refresh__content__leads_through_the_proxy(content: str, address: str | None) -> None:
    expected = f"{content[0]}; url={proxied(SITE, address)}" if address else content
    assert refreshed(content, site=SITE, page_url=TARGET) == expected
