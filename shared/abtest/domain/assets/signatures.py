"""Recognition of file types by their first bytes.

Libraries for this take a bare AVIF for MP4, or WOFF for WOFF2. Here a type is recognized by its signature and its first
box, table or element; other known types are named in the error.
"""

import re
from contextlib import suppress
from xml.parsers import expat

from abtest.domain.assets import types
from abtest.domain.assets.errors import CONTENT, UnsupportedAssetTypeError
from abtest.domain.assets.types import AssetType, unsupported_content

_PREFIXES: tuple[tuple[bytes, AssetType], ...] = (
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", types.PNG),
    (b"\xff\xd8\xff", types.JPEG),
    (b"GIF87a", types.GIF),
    (b"GIF89a", types.GIF),
    (b"wOF2", types.WOFF2),
    (b"%PDF-1.", types.PDF),
    (b"%PDF-2.", types.PDF),
)
_REFUSED: tuple[tuple[bytes, str], ...] = (
    (b"PK\x03\x04", "a ZIP archive"),
    (b"PK\x05\x06", "a ZIP archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"Rar!", "a RAR archive"),
    (b"7z\xbc\xaf", "a 7z archive"),
    (b"MZ", "a Windows program"),
    (b"\x7fELF", "a program"),
    (b"\0asm", "a WebAssembly program"),
    (b"#!", "a script"),
    (b"wOFF", "a WOFF font; convert it to WOFF2"),
    (b"OTTO", "an OpenType font; convert it to WOFF2"),
    (b"\0\1\0\0", "a TrueType font; convert it to WOFF2"),
    (b"true", "a TrueType font; convert it to WOFF2"),
    (b"II*\0", "a TIFF image"),
    (b"MM\0*", "a TIFF image"),
    (b"BM", "a BMP image"),
    (b"\0\0\1\0", "an icon file"),
    (b"8BPS", "a Photoshop document"),
    (b"%!PS", "a PostScript document"),
    (b"ID3", "an MP3 file"),
    (b"OggS", "an Ogg file"),
    (b"fLaC", "a FLAC file"),
    (b"\xff\x0a", "a JPEG XL image"),
    (b"\0\0\0\x0cJXL ", "a JPEG XL image"),
    (b"\xd0\xcf\x11\xe0", "an Office document"),
)
_AVIF_BRANDS = {b"avif", b"avis"}
_MP4_BRANDS = {b"isom", b"mp41", b"mp42", b"avc1", b"M4V ", b"M4VP", b"MSNV", b"dash", b"cmfc", b"cmf2", b"f4v "}
_OTHER_BRANDS = {
    b"heic": "a HEIC image",
    b"heix": "a HEIC image",
    b"heim": "a HEIC image",
    b"hevc": "a HEIC image",
    b"mif1": "a HEIF image",
    b"msf1": "a HEIF image",
    b"qt  ": "a QuickTime video",
    b"M4A ": "an MPEG-4 audio file",
    b"crx ": "a Canon raw image",
}
_MARKUP = re.compile(rb"[\s\0]*<")
_HTML = re.compile(
    rb"[\s\0]*(<!--.{0,2000}?-->\s*)*<(!doctype\s+html|html|head|body|script|iframe|a|img)\b", re.I | re.S
)
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_HEAD_BYTES = 64 << 10
"""Comments and declarations before the first element of an SVG are shorter than this."""


def recognized(content: bytes) -> AssetType:
    """Return the type of a file. Raises UnsupportedAssetTypeError with the type that the bytes appear to be."""
    if not content:
        raise UnsupportedAssetTypeError(CONTENT, "the file is empty")
    for prefix, asset_type in _PREFIXES:
        if content.startswith(prefix):
            return asset_type
    if content[:4] == b"RIFF":
        return _riff(content)
    if content[4:8] == b"ftyp":
        return _iso_media(content)
    if content[:4] == b"\x1a\x45\xdf\xa3":
        return _matroska(content)
    return _markup(content)


def _riff(content: bytes) -> AssetType:
    if content[8:12] == b"WEBP" and content[12:16] in (b"VP8 ", b"VP8L", b"VP8X"):
        return types.WEBP
    raise unsupported_content({b"WAVE": "a WAV file", b"AVI ": "an AVI video"}.get(content[8:12], "a RIFF file"))


def _iso_media(content: bytes) -> AssetType:
    """Return the type by the brands of the first box: the major one, then those that the file is compatible with."""
    length = int.from_bytes(content[:4], "big")
    if not 16 <= length <= min(len(content), 4096):
        raise unsupported_content("of no known type: their first box has an impossible length")
    box = content[:length]
    major = box[8:12]
    brands = {box[start : start + 4] for start in range(16, length - 3, 4)} | {major}
    if brands & _AVIF_BRANDS:
        return types.AVIF
    if major in _OTHER_BRANDS:
        raise unsupported_content(_OTHER_BRANDS[major])
    if any(brand in _MP4_BRANDS or re.fullmatch(rb"iso[2-9a-c]", brand) for brand in brands):
        return types.MP4
    raise unsupported_content("an MPEG-4 file of another kind")


def _matroska(content: bytes) -> AssetType:
    """Return WebM by the document type in the EBML header, which is within the first bytes of any encoder's files."""
    doc_type = re.search(rb"\x42\x82.{1,8}?(webm|matroska)", content[:256], re.DOTALL)
    if doc_type and doc_type[1] == b"webm":
        return types.WEBM
    raise unsupported_content("a Matroska video" if doc_type else "an EBML file of another kind")


def _markup(content: bytes) -> AssetType:
    text = content
    for mark in _BYTE_ORDER_MARKS:
        text = text.removeprefix(mark)
    if not _MARKUP.match(text[:4096]):
        label = next((label for prefix, label in _REFUSED if content.startswith(prefix)), "of no known type")
        raise unsupported_content(label)
    root = _root_element(content[:_HEAD_BYTES])
    if root == "svg":
        return types.SVG
    is_html = root == "html" or _HTML.match(text[:_HEAD_BYTES])
    raise unsupported_content("an HTML page" if is_html else "an XML document" if root else "markup of another kind")


def _root_element(head: bytes) -> str | None:
    """Return the local name of the first element; None when there is none, or the text before it is not XML."""
    names: list[str] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda name, _: names.append(name)
    with suppress(expat.ExpatError, LookupError, ValueError):
        parser.Parse(head, False)
    return names[0].rpartition(":")[2] if names else None
