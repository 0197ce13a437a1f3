"""Uploaded files of any bytes: accepted or refused in our words, in bounded time and memory."""

from __future__ import annotations

import re
import resource
import time
from contextlib import suppress
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.adapters.images import PillowCodec
from abtest.domain.assets import types
from abtest.domain.assets.containers import require_structure
from abtest.domain.assets.errors import InvalidAssetError, UnsupportedAssetTypeError
from abtest.domain.assets.names import file_name
from abtest.domain.assets.signatures import recognized
from abtest.domain.assets.svg import sanitised
from abtest.domain.assets.svg_vocabulary import ELEMENTS, PLAIN, PRESENTATION
from abtest.domain.assets.types import TYPES, require_agreement
from tests.support.harmless_svg import DRAWINGS
from tests.support.hostile_svg import HOSTILE
from tests.support.media import RASTERS, SAMPLES, animation, encoded, gradient, with_gps
from tests.support.sizes import sized

CODEC = PillowCodec()
OURS = (InvalidAssetError, UnsupportedAssetTypeError)
SVG_PREFIX = "{http://www.w3.org/2000/svg}"
ATTRIBUTES = PLAIN | PRESENTATION | {"href", "style", "values", "from", "to", "by"}
MAX_SECONDS = 10
"""A hundred times what the slowest takes: a bound that only an endless loop or a bomb reaches on a busy machine."""

MAX_GROWTH_KB = 512 << 10

PICTURES = [
    *RASTERS.values(),
    *(animation(form) for form in ("GIF", "WEBP", "AVIF", "PNG")),
    encoded(gradient(), "JPEG", progressive=True, exif=with_gps()),
    encoded(gradient("CMYK"), "JPEG"),
    encoded(gradient("P"), "PNG", transparency=b"\0\1\2"),
    encoded(gradient("I;16"), "PNG"),
    encoded(gradient("RGBA"), "WEBP", lossless=True),
]
SVGS = [*DRAWINGS.values(), *(text.encode() for text in HOSTILE.values())]
ORDINARY = settings(max_examples=sized(3_000, 150))

edits = st.lists(st.tuples(st.integers(0, 1 << 16), st.integers(0, 40), st.binary(max_size=12)), min_size=1, max_size=6)


def mutated(content: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    """Replace parts of a file by other bytes."""
    for place, length, more in changes:
        start = place % (len(content) + 1)
        content = content[:start] + more + content[start + length :]
    return content


@pytest.fixture(autouse=True)
def bounded() -> None:
    """Sizes of memory are those after the libraries are loaded."""
    CODEC.clean(SAMPLES[types.PNG])


def examine(content: bytes) -> None:
    """Do with a file whatever an upload does."""
    started, before = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with suppress(*OURS):
        asset_type = recognized(content)
        require_agreement(asset_type, f"a.{asset_type.extensions[0]}", asset_type.mime_type)
        if asset_type.kind is types.Kind.VECTOR:
            require_ours(sanitised(content, CODEC.clean).content)
        elif asset_type.kind is types.Kind.CONTAINER:
            require_structure(asset_type, content)
        else:
            examine_picture(content)
    assert time.process_time() - started < MAX_SECONDS
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < MAX_GROWTH_KB


def examine_picture(content: bytes) -> None:
    """Clean a picture; what was cleaned is accepted as it is."""
    cleaned = CODEC.clean(content)
    assert recognized(cleaned) is recognized(content)
    info = CODEC.inspect(cleaned)
    for rendition in CODEC.renditions(cleaned, [16]):
        assert (rendition.width, CODEC.inspect(rendition.content).width) == (16, 16)
    assert info.width * info.height <= types.MAX_PIXELS


def require_ours(content: bytes) -> None:
    """A sanitised document has only elements and attributes of the allow-lists, and sanitising keeps all of it."""
    for element in ElementTree.fromstring(content).iter():
        assert element.tag.removeprefix(SVG_PREFIX) in ELEMENTS
        for name, value in element.attrib.items():
            assert name in ATTRIBUTES or name.startswith(("aria-", "{http://www.w3.org/XML/1998/namespace}"))
            assert name != "href" or value.startswith(("#", "data:image/"))
    assert b"evil" not in content
    assert sanitised(content, CODEC.clean).content == content


@ORDINARY
@given(st.binary(max_size=2000))
def test_random_bytes__raise_our_errors_alone(content: bytes) -> None:
    examine(content)
    for call in (CODEC.inspect, CODEC.clean, CODEC.renditions):
        with suppress(*OURS):
            call(content)
    for asset_type in TYPES:
        with suppress(*OURS):
            require_structure(asset_type, content)
    with suppress(*OURS):
        require_ours(sanitised(content, CODEC.clean).content)


@ORDINARY
@given(st.sampled_from(list(SAMPLES.values())), st.integers(4, 40), st.binary(max_size=400))
def test_random_bytes_after_a_signature__raise_our_errors_alone(sample: bytes, length: int, rest: bytes) -> None:
    examine(sample[:length] + rest)


@ORDINARY
@given(st.sampled_from(PICTURES), edits)
def test_mutated_pictures__raise_our_errors_alone(sample: bytes, changes: list[tuple[int, int, bytes]]) -> None:
    examine(mutated(sample, changes))


@ORDINARY
@given(st.sampled_from([SAMPLES[each] for each in TYPES if each.kind is types.Kind.CONTAINER]), edits)
def test_mutated_containers__raise_our_errors_alone(sample: bytes, changes: list[tuple[int, int, bytes]]) -> None:
    examine(mutated(sample, changes))


@ORDINARY
@given(st.sampled_from(SVGS), edits, st.lists(st.tuples(st.integers(0, 1 << 16), st.sampled_from(SVGS)), max_size=2))
def test_mutated_drawings__raise_our_errors_alone(
    sample: bytes, changes: list[tuple[int, int, bytes]], spliced: list[tuple[int, bytes]]
) -> None:
    examine(mutated(sample, [*((place, 0, other[place % 50 : 200]) for place, other in spliced), *changes]))


PARTS = """url( //evil.example/a https://evil.example ) u\\72l( image-set( ' " \\ { } ; : mask fill --a var(--a
@import @media all /* */ ( #a , !important a <!-- --> src( rgb( 0 & \\0000e9 [ ] attr("""
CSS = st.lists(st.sampled_from([*PARTS.split(), " ", "\n"]), max_size=25).map("".join)

QUOTED = re.compile(r"""(?<!url\()(["'])[^"']*\1""")
ADDRESS = re.compile(r"(?<![\w-])(url|src|image-set|var|attr)\(|@import", re.IGNORECASE)
"""Functions with an address or a variable; `#aurl(` is a color and a bracket."""


@settings(max_examples=sized(20_000, 300))
@given(CSS, CSS, CSS)
def test_any_css__leaves_no_address_and_is_kept_when_sanitised_again(sheet: str, style: str, value: str) -> None:
    root = ElementTree.Element("svg", xmlns="http://www.w3.org/2000/svg")
    ElementTree.SubElement(root, "style").text = sheet
    ElementTree.SubElement(root, "rect", style=style, fill=value)
    kept = sanitised(ElementTree.tostring(root), CODEC.clean).content
    for element in ElementTree.fromstring(kept).iter():
        for css in (element.text or "", *element.attrib.values()):
            plain = QUOTED.sub("", css)
            for address in ADDRESS.finditer(plain):
                assert plain[address.start() :].lower().startswith(("url(#", 'url("#')), kept
    assert sanitised(kept, CODEC.clean).content == kept


@ORDINARY
@given(st.text(max_size=200), st.sampled_from(TYPES))
def test_any_name__becomes_a_plain_one_or_is_refused(name: str, asset_type: types.AssetType) -> None:
    with suppress(InvalidAssetError):
        plain = file_name(name, asset_type)
        assert len(plain) <= 100
        assert plain.isascii()
        assert not set(plain) & set("/\\ \0:*?\"'<>|&")
        require_agreement(asset_type, plain, None)
        assert file_name(plain, asset_type) == plain
