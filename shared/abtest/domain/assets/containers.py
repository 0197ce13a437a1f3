"""Structure of files that are stored as they are: first boxes or tables, lengths, and nothing after the end."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from abtest.domain.assets import types
from abtest.domain.assets.errors import InvalidAssetError
from abtest.domain.assets.types import AssetType

MAX_BOXES = 100_000
_AVIF_BOXES = {b"ftyp", b"meta", b"mdat", b"moov", b"free", b"skip", b"sidx"}
_PDF_START = re.compile(rb"startxref[\r\n\t ]+(\d{1,10})[\r\n\t ]+%%EOF[\r\n\t ]*\Z")
_EBML_SEGMENT = 0x18538067
_EBML_GLOBAL = {0xEC, 0xBF}
"""Void and CRC-32, which may come between any two elements."""

_SEGMENT_CHILDREN = {
    0x114D9B74,  # SeekHead
    0x1549A966,  # Info
    0x1654AE6B,  # Tracks
    0x1F43B675,  # Cluster
    0x1C53BB6B,  # Cues
    0x1941A469,  # Attachments
    0x1043A770,  # Chapters
    0x1254C367,  # Tags
    *_EBML_GLOBAL,
}
_TRACKS, _CLUSTER = 0x1654AE6B, 0x1F43B675


def require_structure(asset_type: AssetType, content: bytes) -> None:
    """Raise InvalidAssetError unless the parts of a file fill it exactly. Types without a rule here pass."""
    check = _CHECKS.get(asset_type.mime_type)
    if check:
        check(content)


def _truncated(asset_type: AssetType) -> InvalidAssetError:
    return InvalidAssetError(f"the file is {asset_type.label} that ends too early; upload the whole file")


def _trailing(asset_type: AssetType, count: int) -> InvalidAssetError:
    plural = "byte follows" if count == 1 else "bytes follow"
    return InvalidAssetError(f"{count} {plural} the end of {asset_type.label}; save the file again without them")


def _damaged(asset_type: AssetType, reason: str) -> InvalidAssetError:
    return InvalidAssetError(f"the file is {asset_type.label} that is damaged: {reason}")


@dataclass(frozen=True, slots=True)
class GifLayout:
    """Frames of a GIF, and the size that holds the screen and every frame: frames may be larger than the screen."""

    frames: int
    width: int
    height: int
    end: int


def gif_layout(content: bytes) -> GifLayout:
    """Return the layout of a GIF by its blocks. Raises InvalidAssetError when it has no end or no frame."""
    place, frames = 13, 0
    width, height = _pair(content, 6)
    try:
        place += _color_table(content[10])
        while content[place] != 0x3B:
            if content[place] == 0x2C:
                frames += 1
                left, top = _pair(content, place + 1)
                frame_width, frame_height = _pair(content, place + 5)
                width, height = max(width, left + frame_width), max(height, top + frame_height)
            place = _after_gif_block(content, place)
    except IndexError:
        raise _truncated(types.GIF) from None
    if not frames:
        raise _damaged(types.GIF, "it has no frame")
    return GifLayout(frames, width, height, place + 1)


def _pair(content: bytes, place: int) -> tuple[int, int]:
    return int.from_bytes(content[place : place + 2], "little"), int.from_bytes(
        content[place + 2 : place + 4], "little"
    )


def _after_gif_block(content: bytes, place: int) -> int:
    if content[place] == 0x2C:  # an image: descriptor, color table, code size
        place += 10 + _color_table(content[place + 9]) + 1
    elif content[place] == 0x21:  # an extension and its label
        place += 2
    else:
        raise _damaged(types.GIF, "its blocks are of no known kind")
    while length := content[place]:
        place += length + 1
    return place + 1


def _color_table(flags: int) -> int:
    return 3 << (flags & 7) + 1 if flags & 0x80 else 0


def _gif(content: bytes) -> None:
    if surplus := len(content) - gif_layout(content).end:
        raise _trailing(types.GIF, surplus)


def webp_size(content: bytes) -> tuple[int, int]:
    """Return width and height of the canvas of a WebP. Decoders reserve its memory before they compare any limit."""
    first = content[12:16]
    if first == b"VP8X":
        width, height = (int.from_bytes(content[start : start + 3], "little") + 1 for start in (24, 27))
    elif first == b"VP8L":
        bits = int.from_bytes(content[21:25], "little")
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    else:
        width, height = (side & 0x3FFF for side in _pair(content, 26))
    return width, height


_WEBP_METADATA = {b"EXIF": 0x08, b"XMP ": 0x04}
"""Chunks of metadata, and the flag in the header that announces each."""


def _webp(content: bytes) -> None:
    end = 8 + int.from_bytes(content[4:8], "little")
    if len(content) < end:
        raise _truncated(types.WEBP)
    if surplus := len(content) - end:
        raise _trailing(types.WEBP, surplus)
    place, flags = 12, 0
    metadata: list[bytes] = []
    while place < end:
        name = content[place : place + 4]
        if name == b"VP8X":
            flags = content[place + 8] if place + 8 < end else 0
        elif name in _WEBP_METADATA:
            metadata.append(name)
        place += 8 + int.from_bytes(content[place + 4 : place + 8], "little")
        place += place & 1
    if place != end:
        raise _damaged(types.WEBP, "its chunks do not fill it")
    # Decoders read the first chunk that the header announces: in any other, the place of a picture would stay unseen.
    if len(set(metadata)) < len(metadata) or any(not flags & _WEBP_METADATA[name] for name in metadata):
        raise _damaged(types.WEBP, "it has metadata that its header does not announce")


def _boxes(asset_type: AssetType, content: bytes) -> Iterator[bytes]:
    """Yield the names of the boxes of an ISO media file. Raises InvalidAssetError where their lengths do not fit."""
    place = number = 0
    while place < len(content):
        length, name = int.from_bytes(content[place : place + 4], "big"), content[place + 4 : place + 8]
        header = 8
        if length == 1:
            length, header = int.from_bytes(content[place + 8 : place + 16], "big"), 16
        elif length == 0:  # to the end of the file
            length = len(content) - place
        number += 1
        if len(name) < 4 or length < header or not all(0x20 <= byte < 0x7F or byte == 0xA9 for byte in name):
            raise _trailing(asset_type, len(content) - place)
        if place + length > len(content):
            raise _truncated(asset_type)
        if number > MAX_BOXES:
            raise _damaged(asset_type, f"more than {MAX_BOXES:,} boxes")
        yield name
        place += length


def _avif(content: bytes) -> None:
    names = set(_boxes(types.AVIF, content))
    if other := names - _AVIF_BOXES:
        raise _damaged(types.AVIF, f"a box {min(other).decode('latin-1')!r} does not belong to it")
    if b"mdat" not in names:
        raise _truncated(types.AVIF)


def _mp4(content: bytes) -> None:
    names = set(_boxes(types.MP4, content))
    if b"moov" not in names:
        raise _damaged(types.MP4, "it has no list of its tracks (`moov`)")
    if not names & {b"mdat", b"moof"}:
        raise _damaged(types.MP4, "it has no samples (`mdat`)")


def _webm(content: bytes) -> None:
    """Check the header, the one segment that fills the rest, and the segment's elements."""
    _, header_end = _element(content, 0)
    identifier, segment_end = _element(content, header_end)
    if identifier != _EBML_SEGMENT:
        raise _damaged(types.WEBM, "its header is not followed by a segment")
    if segment_end != len(content):
        raise _trailing(types.WEBM, len(content) - segment_end)
    _, _, place = _element_header(content, header_end)
    seen = set()
    for _ in range(MAX_BOXES):
        if place == len(content):
            break
        identifier, place = _element(content, place)
        if identifier not in _SEGMENT_CHILDREN:
            raise _damaged(types.WEBM, "an element does not belong to its segment")
        seen.add(identifier)
    if place != len(content) or not {_TRACKS, _CLUSTER} <= seen:
        raise _damaged(types.WEBM, "it has no tracks or no clusters")


def _element(content: bytes, place: int) -> tuple[int, int]:
    """Return the identifier of an element and the place after it; an unknown size goes on to the end of the file.

    Live recordings leave the sizes of their segment and clusters open. A cluster of open size ends the search here.
    """
    identifier, size, start = _element_header(content, place)
    end = len(content) if size is None else start + size
    if end > len(content):
        raise _truncated(types.WEBM)
    return identifier, end


def _element_header(content: bytes, place: int) -> tuple[int, int | None, int]:
    """Return identifier, size of the payload (None: unknown) and its place."""
    identifier_length = _vint_length(content, place)
    start = place + identifier_length
    size_length = _vint_length(content, start)
    if identifier_length > 4 or start + size_length > len(content):
        raise _truncated(types.WEBM)
    identifier = int.from_bytes(content[place:start], "big")
    size = int.from_bytes(content[start : start + size_length], "big") & (1 << 7 * size_length) - 1
    return identifier, None if size == (1 << 7 * size_length) - 1 else size, start + size_length


def _vint_length(content: bytes, place: int) -> int:
    if place >= len(content) or not content[place]:
        raise _damaged(types.WEBM, "an element has no size")
    return 9 - content[place].bit_length()


def _woff2(content: bytes) -> None:
    if len(content) < 48:
        raise _truncated(types.WOFF2)
    fields = [int.from_bytes(content[start : start + 4], "big") for start in range(0, 48, 4)]
    length, tables, compressed = fields[2], fields[3] >> 16, fields[5]
    if length > len(content):
        raise _truncated(types.WOFF2)
    if length < len(content):
        raise _trailing(types.WOFF2, len(content) - length)
    # A table's entry in the directory takes two bytes at least.
    if not 1 <= tables <= 4096 or not compressed or 48 + 2 * tables + compressed > length:
        raise _damaged(types.WOFF2, "its tables do not fit into it")
    for offset, size in ((fields[7], fields[8]), (fields[10], fields[11])):
        if offset and not 48 <= offset <= offset + size <= length:
            raise _damaged(types.WOFF2, "its metadata is outside the file")


def _pdf(content: bytes) -> None:
    trailer = _PDF_START.search(content, max(0, len(content) - 1024))
    if trailer is None:
        raise InvalidAssetError(
            "the file is a PDF document that does not end in `startxref`, a number and `%%EOF`: it ends too early, "
            "or bytes follow its end; save the file again"
        )
    if not 8 < int(trailer[1]) < trailer.start():
        raise _damaged(types.PDF, "the place of its cross-reference table is outside the file")


_CHECKS: dict[str, Callable[[bytes], None]] = {
    "image/gif": _gif,
    "image/webp": _webp,
    "image/avif": _avif,
    "video/mp4": _mp4,
    "video/webm": _webm,
    "font/woff2": _woff2,
    "application/pdf": _pdf,
}
