"""Addresses of links: what a page may lead to, and every way around it that is known."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.pages.links import href_problem, is_https

ALLOWED = [
    "https://shop.example",
    "https://shop.example/a?b=c&d=e#f",
    "HTTPS://shop.example/",
    "https://bücher.example/größe",
    "https://shop.example:8443/a",
    "/",
    "/cart",
    "/a//b",
    "/a?next=//evil.example",
    "#faq",
    "#our-lamps-2",
    "mailto:hello@shop.example",
    "mailto:hello@shop.example?subject=Hi",
    "tel:+49-40-123",
    "tel:(040)123.45",
]
REFUSED = [
    "",
    "//evil.example",
    "///evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https:\\\\evil.example",
    "http://shop.example",
    "https:shop.example",
    "https://",
    "https:///x",
    "https://user@shop.example",
    "https://user:password@shop.example",
    "https://shop.example/a b",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    " javascript:alert(1)",
    "\x01javascript:alert(1)",
    "java\tscript:alert(1)",
    "java\nscript:alert(1)",
    "java\u200bscript:alert(1)",
    "javascript&colon;alert(1)",
    "&#106;avascript:alert(1)",
    "%6aavascript:alert(1)",
    "view-source:javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "blob:https://shop.example/x",
    "file:///etc/passwd",
    "ftp://shop.example",
    "cart",
    "./cart",
    "../cart",
    "?a=b",
    "#",
    "#Faq",
    "#faq?",
    "#a b",
    "/\t/evil.example",
    "/\n/evil.example",
    "/\u202egpj.exe",
    "\ufeff//evil.example",
    "mailto:",
    "mailto:hello",
    "mailto:a@b@c",
    "tel:",
    "tel:javascript",
    "tel:1;ext=<script>",
    "/" + "a" * 2048,
]


@pytest.mark.parametrize("href", ALLOWED)
def test_href__of_an_allowed_form__is_accepted(href: str) -> None:
    assert href_problem(href) is None


@pytest.mark.parametrize("href", REFUSED)
def test_href__of_any_other_form__is_refused(href: str) -> None:
    assert href_problem(href)


def test_href__of_another_host_without_a_scheme__is_explained() -> None:
    assert href_problem("//cdn.example") == (
        "begin with https:// or with a single slash, because // leads to another host"
    )


@given(st.text(max_size=20), st.sampled_from([":", "&colon;", "\t:", ":\n"]), st.text(max_size=20))
def test_href__with_any_other_scheme__is_refused(scheme: str, colon: str, rest: str) -> None:
    href = f"{scheme}{colon}{rest}"
    if href_problem(href) is None:
        assert href.lower().startswith(("https://", "mailto:", "tel:", "/"))
        assert not href.startswith("//")


@given(st.text(max_size=40))
def test_https__accepts_absolute_addresses_only(text: str) -> None:
    assert not is_https(text) or text.lower().startswith("https://")
