"""Structure of files that are not decoded: whole, nothing after the end, lengths inside the file."""

from __future__ import annotations

import pytest

from abtest.domain.assets import types
from abtest.domain.assets.containers import MAX_BOXES, gif_layout, require_structure
from abtest.domain.assets.errors import InvalidAssetError
from abtest.domain.assets.types import AssetType
from tests.support.media import MP4, PDF, SAMPLES, WEBM, WOFF2, ZIP, animation, box, element

CHECKED = [types.GIF, types.WEBP, types.AVIF, types.MP4, types.WEBM, types.WOFF2, types.PDF]
by_name = pytest.mark.parametrize("asset_type", CHECKED, ids=lambda each: each.extensions[0])


@by_name
def test_sample__is_accepted(asset_type: AssetType) -> None:
    require_structure(asset_type, SAMPLES[asset_type])


@by_name
@pytest.mark.parametrize("more", [b"<script>alert(1)</script>", ZIP, b"\xff" * 9], ids=["html", "zip", "bytes"])
def test_bytes_after_the_end__are_refused(asset_type: AssetType, more: bytes) -> None:
    with pytest.raises(InvalidAssetError, match=r"content: .*(follow|ends too early)"):
        require_structure(asset_type, SAMPLES[asset_type] + more)


@by_name
def test_file_cut_anywhere__is_refused(asset_type: AssetType) -> None:
    content = SAMPLES[asset_type]
    # What the signature needs stays, as nothing is examined without it.
    for end in {*range(32, len(content), 7), len(content) - 2}:
        with pytest.raises(InvalidAssetError):
            require_structure(asset_type, content[:end])


def test_png_and_jpeg__have_no_rule_as_they_are_encoded_again() -> None:
    require_structure(types.PNG, b"")


def test_live_recording__has_no_sizes() -> None:
    unknown = b"\x01" + b"\xff" * 7
    cluster = bytes.fromhex("1f43b675") + unknown + b"\0" * 20
    header = element("1a45dfa3", element("4282", b"webm"))
    require_structure(types.WEBM, header + bytes.fromhex("18538067") + unknown + element("1654ae6b") + cluster)


HEADER = element("1a45dfa3", element("4282", b"webm"))
FTYP = box(b"ftyp", b"isom\0\0\2\0isom")
LARGE = (1).to_bytes(4, "big") + b"mdat" + (24).to_bytes(8, "big") + b"\0" * 8


@pytest.mark.parametrize(
    ("asset_type", "content", "message"),
    [
        (types.MP4, FTYP + box(b"mdat"), "no list of its tracks"),
        (types.MP4, FTYP + box(b"moov"), "no samples"),
        (types.MP4, FTYP + box(b"mo\0v"), "follow the end"),
        (types.MP4, FTYP + b"\0\0\0\4moov", "follow the end"),
        (types.MP4, FTYP + b"\0\0\0\1mdat" + b"\xff" * 8, "too early"),
        (types.MP4, FTYP + box(b"free") * (MAX_BOXES + 1), "boxes"),
        (types.AVIF, SAMPLES[types.AVIF] + box(b"evil"), "does not belong"),
        (types.WEBM, HEADER + element("1549a966"), "not followed by a segment"),
        (types.WEBM, HEADER + element("18538067"), "no tracks"),
        (types.WEBM, HEADER + element("18538067", element("1654ae6b") + element("a3")), "does not belong"),
        (types.WEBM, HEADER + element("18538067", b"\0"), "no size"),
        (types.WOFF2, WOFF2[:12] + b"\0\0" + WOFF2[14:], "tables"),
        (types.WOFF2, WOFF2[:20] + b"\0\0\1\0" + WOFF2[24:], "tables"),
        (types.WOFF2, WOFF2[:28] + b"\0\1\0\0\0\0\0\1" + WOFF2[36:], "metadata"),
        (types.PDF, PDF.replace(b"startxref\n30", b"startxref\n9999"), "cross-reference"),
        (types.PDF, b"%PDF-1.4\n" + b"a" * 2000, "does not end in"),
        (types.GIF, b"GIF89a\1\0\1\0\0\0\0;", "no frame"),
        (types.GIF, b"GIF89a/*\1\0\0\0*/=1;alert(1)", "known kind"),
    ],
)
def test_structure_that_does_not_fit__is_refused_with_the_reason(
    asset_type: AssetType, content: bytes, message: str
) -> None:
    with pytest.raises(InvalidAssetError, match=message):
        require_structure(asset_type, content)


def test_box_of_a_long_size__and_to_the_end__are_accepted() -> None:
    moov = box(b"moov")
    require_structure(types.MP4, FTYP + moov + LARGE)
    require_structure(types.MP4, FTYP + moov + b"\0\0\0\0mdat" + b"\0" * 90)
    require_structure(types.MP4, MP4 + box(b"\xa9xyz"))
    require_structure(types.WEBM, WEBM)


def test_layout_of_a_gif__holds_frames_outside_its_screen() -> None:
    content = animation("GIF", 3)
    assert (gif_layout(content).frames, gif_layout(content).width) == (3, 20)
    small_screen = content[:6] + b"\1\0\1\0" + content[10:]
    assert (gif_layout(small_screen).width, gif_layout(small_screen).height) == (20, 10)
