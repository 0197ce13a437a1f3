"""Markdown of pages: four things, no HTML, and a time that grows with the text."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.pages.markdown import MAX_MARKDOWN, is_too_deep, links, rendered
from tests.unit.kit.test_markup import Reader

ELEMENTS = {"p", "ul", "ol", "li", "blockquote", "em", "strong", "a", "br"}


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("**a** *b* _c_", "<p><strong>a</strong> <em>b</em> <em>c</em></p>"),
        ("- a\n- b", "<ul><li>a</li><li>b</li></ul>"),
        ("- a\n\n- b", "<ul><li><p>a</p></li><li><p>b</p></li></ul>"),
        ("3. a\n4. b", '<ol start="3"><li>a</li><li>b</li></ol>'),
        ("> a", "<blockquote><p>a</p></blockquote>"),
        ("[a](/b)", '<p><a href="/b">a</a></p>'),
        ('[a](/b?c=d&e "title")', '<p><a href="/b?c=d&amp;e">a</a></p>'),
        ("[**a**](#b)", '<p><a href="#b"><strong>a</strong></a></p>'),
        ("[a](//evil.example)", "<p>a</p>"),
        ("[a](javascript:alert(1))", "<p>a</p>"),
        ("[a](&#106;avascript:alert(1))", "<p>a</p>"),
        ("a  \nb\nc", "<p>a<br>b\nc</p>"),
        (r"\*a\*", "<p>*a*</p>"),
        ("<b>a</b>", "<p>&lt;b&gt;a&lt;/b&gt;</p>"),
        ("&lt; &amp;", "<p>&amp;lt; &amp;amp;</p>"),
        ("![a](/b.png)", '<p>!<a href="/b.png">a</a></p>'),
        ("# a\n\n---\n\n`b`", "<p># a</p><p>---</p><p>`b`</p>"),
        ("<https://shop.example> https://shop.example", "<p>&lt;https://shop.example&gt; https://shop.example</p>"),
        ("", ""),
    ],
)
def test_markdown__is_emphasis_links_lists_and_quotes(text: str, html: str) -> None:
    assert rendered(text) == html


@given(st.text(st.sampled_from("ab *_[]()<>&\"'#/:->!`\\\n\t1."), max_size=200))
def test_any_markdown__has_no_other_elements_and_no_attribute_but_allowed_addresses(text: str) -> None:
    read = Reader(rendered(text))
    assert {tag for tag, _ in read.tags} <= ELEMENTS
    assert {name for _, attributes in read.tags for name in attributes} <= {"href", "start"}


def test_links__are_those_of_the_text_in_order__also_refused_ones() -> None:
    assert links("[a](/b) and\n\n- [c](javascript:d)") == ("/b", "javascript:d")


def test_depth__counts_lists_and_quotes_within_each_other() -> None:
    assert not is_too_deep("> " * 6 + "a")
    assert is_too_deep("> " * 7 + "a")
    assert is_too_deep("- > " * 4 + "a")
    # Nothing that is accepted may vanish: the library leaves out what is deeper than its own limit.
    assert "deepest" in rendered("- > " * 3 + "deepest")


HOSTILE = {
    "stars": "*a **a ",
    "underscores": "_a __a",
    "brackets": "[",
    "links": "[a](/b)",
    "unclosed": "[a](",
    "angles": "[a](<",
    "titles": '[a](/b "',
    "quotes": ">",
    "quoted lines": ">\n",
    "items": "- a\n",
    "numbers": "1. a\n",
    "escapes": "\\",
    "images": "![a](/b)",
    "stairs": "- > - ",
    "lines": "\n",
}


@pytest.mark.parametrize("part", HOSTILE.values(), ids=HOSTILE)
def test_hostile_markdown__of_the_longest_length__takes_a_fraction_of_a_second(part: str) -> None:
    text = (part * MAX_MARKDOWN)[:MAX_MARKDOWN]
    started = time.process_time()
    rendered(text)
    # Measured: 0.09 s at most. A time that grows with the square of the length would be seconds.
    assert time.process_time() - started < 2
