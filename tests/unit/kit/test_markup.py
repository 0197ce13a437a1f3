"""Markup: what is not made by the module is text."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.kit.markup import clean, el, joined, typed


class Reader(HTMLParser):
    """Elements, attributes and texts, as the standard library reads them."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(document)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@given(st.text(), st.text())
def test_element__of_any_text_and_attribute__holds_them_and_nothing_else(text: str, value: str) -> None:
    read = Reader(el("p", text, title=value))
    assert read.text.replace("\r\n", "\n") == clean(text).replace("\r\n", "\n")
    assert read.tags == [("p", {"title": clean(value)})]


@given(st.text(st.characters(categories=None)))
def test_any_text__even_half_a_surrogate_pair__can_be_encoded(text: str) -> None:
    assert joined(text).encode().decode() == joined(text)


@pytest.mark.parametrize("control", ["\u202e", "\u2066", "\u200f", "\ufeff"])
def test_control_that_turns_text_around__is_left_out(control: str) -> None:
    assert clean(f"a{control}b") == "ab"


@pytest.mark.parametrize("control", ["\x00", "\x1b", "\x85", "\ud800", "\uffff"])
def test_what_no_document_may_hold__is_replaced(control: str) -> None:
    assert clean(f"a{control}b") == "a\ufffdb"


def test_line_ends_and_tabs__stay() -> None:
    assert clean("a\n\tb") == "a\n\tb"


def test_element__holds_elements_lists_and_nothing_in_order() -> None:
    assert el("ul", [el("li", "<"), None, [el("li", "2")]], class_="a b", hidden=None) == (
        '<ul class="a b"><li>&lt;</li><li>2</li></ul>'
    )


def test_numbers_of_attributes__have_two_digits_at_most() -> None:
    assert el("rect", x=1 / 3, width=10.0, aria_label="a") == '<rect x="0.33" width="10" aria-label="a"></rect>'


def test_void_element__has_no_end() -> None:
    assert el("meta", charset="utf-8") == '<meta charset="utf-8">'


def test_typed_name__is_isolated_from_the_direction_around_it() -> None:
    assert typed("<b>") == "<bdi>&lt;b&gt;</bdi>"
