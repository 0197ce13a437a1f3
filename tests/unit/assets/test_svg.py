"""Sanitised SVG: what stays, what goes, and the bounds."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from xml.etree import ElementTree

import pytest

from abtest.domain.assets import types
from abtest.domain.assets.errors import InvalidAssetError
from abtest.domain.assets.signatures import recognized
from abtest.domain.assets.svg import MAX_DEPTH, MAX_NODES, MAX_SVG_BYTES, SanitisedSvg, sanitised
from abtest.domain.assets.svg_css import MAX_CSS_BYTES
from abtest.domain.assets.svg_references import MAX_EMBEDDED_IMAGES
from tests.support.harmless_svg import DRAWINGS, icons
from tests.support.hostile_svg import HOSTILE, PNG

ADDRESS = "https://evil.example/hit"
NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"'


def clean(text: str | bytes) -> SanitisedSvg:
    """The new document; embedded images stay as they are."""
    return sanitised(text if isinstance(text, bytes) else text.encode(), lambda content: content)


def body(text: str, attributes: str = "") -> str:
    """The content that stays of a document."""
    kept = clean(f'<svg {NAMESPACE} xmlns:xlink="http://www.w3.org/1999/xlink" {attributes}>{text}</svg>').content
    return kept.decode().replace(f"<svg {NAMESPACE}/>", "").removeprefix(f"<svg {NAMESPACE}>").removesuffix("</svg>")


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file__is_refused_or_loses_its_address(name: str) -> None:
    content = HOSTILE[name].replace("HIT", ADDRESS).encode()
    with suppress(InvalidAssetError):
        kept = clean(content).content
        assert b"evil" not in kept
        assert b"script" not in kept.lower().replace(b"text/ecmascript", b"")
        assert recognized(kept) is types.SVG


def test_icons__lose_nothing_but_spaces() -> None:
    for name, content in icons().items():
        before, after = (ElementTree.fromstring(each) for each in (content, clean(content).content))
        assert [(each.tag, each.attrib) for each in before.iter()] == [(e.tag, e.attrib) for e in after.iter()], name


@pytest.mark.parametrize("name", DRAWINGS)
def test_sanitised__twice__is_the_same(name: str) -> None:
    once = clean(DRAWINGS[name]).content
    assert clean(once).content == once


def test_latin_1__becomes_utf_8() -> None:
    text = f'<?xml version="1.0" encoding="iso-8859-1"?><svg {NAMESPACE}><title>Café</title></svg>'
    assert "Café".encode() in clean(text.encode("latin-1")).content


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("<g>text outside a text element</g>", "<g/>"),
        ("<text>a &lt;b&gt; &amp; c</text>", "<text>a &lt;b&gt; &amp; c</text>"),
        ('<g id="a&quot;&lt;&#10;b"/>', '<g id="a&quot;&lt;&#10;b"/>'),
        ('<use xlink:href=" #a "/>', '<use href="#a"/>'),
        ('<use xlink:href="#a" href="#b"/>', '<use href="#b"/>'),
        ('<a href="/x" target="t"><g/></a>', "<g><g/></g>"),
        ('<path style="fill:red;behavior:x;stroke:#000"/>', '<path style="fill:red;stroke:#000"/>'),
        ('<path style="fill:red!important;foo:y"/>', '<path style="fill:red!important"/>'),
        ('<path style="FILL:RED" fill="URL(#a)"/>', '<path style="fill:RED" fill="url(#a)"/>'),
        ('<path fill="rgb(0,0,0)" stroke="expression(1)"/>', '<path fill="rgb(0,0,0)"/>'),
        ('<path data-a="1" aria-label="a" xml:space="preserve"/>', '<path aria-label="a" xml:space="preserve"/>'),
        ("<style>.a>b{fill:red}</style>", "<style>.a&gt;b{fill:red}</style>"),
        ('<style type="text/less">a{}</style>', ""),
        ("<style>a{fill:red;&amp; b{fill:blue}}</style>", "<style>a{fill:red}</style>"),
        ("<SCRIPT/><Rect/><rect/>", "<rect/>"),
        ('<image href="#a"/>', ""),
        ('<animate attributeName="fill" values="red;blue"/>', '<animate attributeName="fill" values="red;blue"/>'),
        ('<animate attributeName=" href" to="x"/>', ""),
        ("<?xpacket begin='a'?><g/>", "<g/>"),
    ],
)
def test_content__is_kept_by_the_allow_lists(text: str, kept: str) -> None:
    assert body(text) == kept


def test_removed__names_what_went() -> None:
    document = clean(f'<svg {NAMESPACE} onload="x"><script/><g foo="1" style="behavior:url(x);fill:red"/></svg>')
    assert document.removed == ("<script>", "behavior", "foo", "onload")


@pytest.mark.parametrize(
    ("attributes", "size"),
    [
        ('viewBox="0 0 16 24"', (16, 24)),
        ('width="10" height="20px" viewBox="0 0 1 1"', (10, 20)),
        ('width="100%" height="100%" viewBox="0,0, 30,40"', (30, 40)),
        ('width="1in" height="2.54cm"', (96, 96)),
        ('width="10"', (None, None)),
        ('width="-1" height="1e9"', (None, None)),
        ("", (None, None)),
        ('viewBox="0 0 0.2 0.4"', (1, 1)),
    ],
)
def test_size__is_in_pixels(attributes: str, size: tuple[int | None, int | None]) -> None:
    document = clean(f"<svg {NAMESPACE} {attributes}/>")
    assert (document.width, document.height) == size


def references(levels: int, reference: str) -> str:
    """Groups of ten references to the next group each."""
    groups = (f"<g id='a{level}'>{reference.format(level + 1) * 10}</g>" for level in range(levels))
    return f"{''.join(groups)}<rect id='a{levels}'/>"


def svg(content: str) -> str:
    """A document with this content."""
    return f"<svg {NAMESPACE}>{content}</svg>"


IMAGE = f"<image href='data:image/png;base64,{PNG}'/>"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "well-formed"),
        ("<svg/>", "first element"),
        ("<html xmlns='http://www.w3.org/1999/xhtml'/>", "first element"),
        (svg("")[:-1], "well-formed XML at line 1"),
        (svg("&nbsp;"), "well-formed"),
        (f"<!DOCTYPE svg SYSTEM 'x'>{svg('&nbsp;')}", "entities"),
        (f"<!DOCTYPE svg [<!ENTITY a 'b'>]>{svg('')}", "DOCTYPE"),
        (f"<?xml version='1.0' encoding='klingon'?>{svg('')}", "encoding"),
        (f"<?xml version='1.0' encoding='utf-7'?>{svg('')}", "encoding"),
        (svg("<g>" * MAX_DEPTH + "</g>" * MAX_DEPTH), "nested deeper"),
        (svg("<x>" * MAX_DEPTH + "</x>" * MAX_DEPTH), "nested deeper"),
        (svg("<g/>" * MAX_NODES), "more than 50,000 elements"),
        (svg("<x/>" * MAX_NODES), "more than 50,000 elements"),
        (svg(f"<style>{'a{}' * MAX_CSS_BYTES}</style>"), "512 KiB of CSS"),
        (svg(references(8, "<use href='#a{}'/>")), "draw more than 2,000,000"),
        (svg(references(8, "<g mask='url(#a{})'/>")), "draw more than 2,000,000"),
        (svg(references(8, "<g style='mask:url(#a{})'/>")), "draw more than 2,000,000"),
        (svg(IMAGE * (MAX_EMBEDDED_IMAGES + 1)), "embedded images"),
    ],
)
def test_file_out_of_bounds__is_refused_with_the_reason(content: str, message: str) -> None:
    with pytest.raises(InvalidAssetError, match=message) as refusal:
        clean(content)
    assert (refusal.value.status, refusal.value.code) == (422, "validation_failed")


def test_file_over_4_mib__is_refused() -> None:
    with pytest.raises(InvalidAssetError, match="4 MiB"):
        clean(b" " * (MAX_SVG_BYTES + 1))


def test_references_in_a_circle__are_kept() -> None:
    assert body('<g id="a"><use href="#a"/></g>') == '<g id="a"><use href="#a"/></g>'


def test_chain_of_many_references__is_refused_without_recursion() -> None:
    chain = "".join(f"<g id='a{n}'><use href='#a{n + 1}'/></g>" for n in range(20_000))
    with pytest.raises(InvalidAssetError, match="references through"):
        body(chain)


REPEATED: dict[str, Callable[[int], str]] = {
    "spaces of a style": lambda size: f"<g style='fill:{' ' * size}('/>",
    "declarations": lambda size: f"<g style='{'fill:red;' * (size // 9)}'/>",
    "brackets of a value": lambda size: f"<g fill='{'(' * (size // 16)}'/>",
    "rules": lambda size: f"<style>{'a{b:c}' * (size // 64)}</style>",
    "addresses": lambda size: f"<style>{'url(' * (size // 64)}</style>",
    "comments": lambda size: "<!--a-->" * (size // 8),
    "attributes": lambda size: f"<g {' '.join(f'a{number}=``' for number in range(size // 8))}/>".replace("`", "'"),
    "namespaces": lambda size: f"<g {' '.join(f'xmlns:a{n}=`a`' for n in range(size // 16))}/>".replace("`", "'"),
    "text": lambda size: f"<text>{'&lt;' * (size // 4)}</text>",
    "path": lambda size: f"<path d='{'M0 0' * (size // 4)}'/>",
    "data": lambda size: f"<image href='data:image/png;base64,{'A ' * (size // 2)}!'/>",
}


@pytest.mark.parametrize("name", REPEATED)
def test_time__is_linear_in_the_size(name: str) -> None:
    def seconds(size: int) -> float:
        text = REPEATED[name](size)
        started = time.process_time()
        body(text)
        return time.process_time() - started

    # Eight times the size takes eight times as long, not sixty-four times; 0.2 s are for what else the machine does.
    assert min(seconds(1 << 18) for _ in range(2)) < 24 * seconds(1 << 15) + 0.2
