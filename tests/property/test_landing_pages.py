"""Any spec that is accepted: the page parses to our tree, ids are unique, and no text becomes an element."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.contract.page_specs import spec_of
from abtest.domain.pages.render import render
from abtest.domain.pages.spec import Seo
from abtest.kit.markup import clean
from tests.support.landing import BLOCKS, FOOTER, LIBRARY, SEO, SITE, TONES, page
from tests.support.sizes import sized

HOSTILE = [
    "<script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</title><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)',
    "' autofocus onfocus='alert(1)",
    "javascript:alert(1)",
    "<!--",
    "-->",
    "<![CDATA[",
    "]]>",
    "&lt;b&gt;",
    "\u2028\u2029",
    "{{constructor.constructor('alert(1)')()}}",
    "<svg/onload=alert(1)>",
    "\\u003cscript>",
    "`${alert(1)}`",
]
LETTERS = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"))
WORDS = st.one_of(st.sampled_from(HOSTILE), st.text(LETTERS, min_size=1, max_size=30))
VOID = {"meta", "link", "br", "img", "input"}
ADDRESSES = {"href", "src", "action", "poster", "srcset"}
ATTRIBUTES = {
    *("id", "class", "lang", "dir", "href", "src", "srcset", "sizes", "width", "height", "alt", "loading", "decoding"),
    *("fetchpriority", "charset", "name", "content", "property", "rel", "as", "type", "crossorigin", "poster", "role"),
    *("preload", "controls", "playsinline", "scope", "tabindex", "action", "method", "accept-charset", "for", "value"),
    *("required", "autocomplete", "rows", "start", "aria-label", "aria-hidden"),
}


class Tree(HTMLParser):
    """Elements with their depth, as a parser of the standard library reads them, and the texts between."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[tuple[str, str]] = []
        self.feed(document)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((self.open[-1] if self.open else "", data))

    def handle_comment(self, data: str) -> None:
        raise AssertionError(data)

    def unknown_decl(self, data: str) -> None:
        raise AssertionError(data)


def with_words(value: Any, draw: st.DrawFn, name: str = "") -> Any:
    """Return a part of a spec whose readable texts are drawn."""
    if isinstance(value, dict):
        return {key: with_words(item, draw, key) for key, item in value.items()}
    if isinstance(value, list):
        return [with_words(item, draw, name) for item in value]
    texts = {"heading", "label", "caption", "title", "question", "value", "columns", "cells", "alt", "submit", "quote"}
    if isinstance(value, str) and name in texts | {"body", "answer"}:
        return draw(WORDS)
    return value


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Draw a page of some blocks with texts of any kind."""
    kinds = draw(st.lists(st.sampled_from(sorted(BLOCKS)), min_size=1, max_size=5, unique=True))
    document = page(*kinds)
    for block in document["blocks"]:
        block["tone"] = draw(st.sampled_from(TONES))
        block.update(with_words({key: value for key, value in block.items() if key not in ("type", "tone")}, draw))
        block.pop("links", None) if block["type"] == "hero" else None
    document["footer"] = with_words(FOOTER, draw)
    return document


def is_accepted(document: dict[str, Any]) -> bool:
    """Return whether the grammar accepts the texts; invisible ones, for example, are refused."""
    try:
        spec_of(document)
    except ValueError:
        return False
    return True


@settings(max_examples=sized(1000, 60))
@given(documents().filter(is_accepted), WORDS)
def test_any_page__parses_to_our_tree_and_runs_nothing_but_the_snippet(document: dict[str, Any], title: str) -> None:
    seo = Seo(title=title, description=title, og_image_asset_id=SEO.og_image_asset_id)
    html = render(spec_of(document), assets=LIBRARY, seo=seo, site=SITE, mark=None).html.decode()
    tree = Tree(html)

    names = [name for name, _ in tree.elements]
    assert [names.count(each) for each in ("html", "head", "body", "main", "h1", "title", "style")] == [1] * 7
    assert names.count("section") == len(document["blocks"])
    scripts = [attributes for name, attributes in tree.elements if name == "script"]
    assert [each for each in scripts if each.get("type") != "application/ld+json"] == [{"src": SITE.snippet_address}]
    assert {name for _, attributes in tree.elements for name in attributes} <= ATTRIBUTES
    ids = [attributes["id"] for _, attributes in tree.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    used = [value for _, attributes in tree.elements for name, value in attributes.items() if name in ADDRESSES]
    assert all(re.match("https://|/(?!/)|#|mailto:|tel:", value or "") for value in used)
    assert "".join(text for name, text in tree.texts if name == "title") == clean(title)
    for name, text in tree.texts:
        if name == "script":
            json.loads(text)


@settings(max_examples=sized(1000, 60))
@given(documents().filter(is_accepted))
def test_any_heading__is_in_the_page_as_it_was_written(document: dict[str, Any]) -> None:
    html = render(spec_of(document), assets=LIBRARY, seo=SEO, site=SITE, mark=None).html.decode()
    headings = [text for name, text in Tree(html).texts if name in ("h1", "h2")]
    for block in document["blocks"]:
        if "heading" in block:
            assert clean(block["heading"]) in "".join(headings)
