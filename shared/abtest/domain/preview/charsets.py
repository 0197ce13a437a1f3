"""Encoding of a page or a style: byte order mark, header, declaration; markup itself is read byte by byte."""

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass

_LOOKED_AT = 1024
_IN_HEADER = re.compile(r"""charset\s*=\s*["']?([\w:.+-]{1,40})""", re.IGNORECASE)
_IN_META = re.compile(rb"""<meta\s[^>]*?charset\s*=\s*["']?\s*([\w:.+-]{1,40})""", re.IGNORECASE)
_IN_CSS = re.compile(rb'@charset "([\w:.+-]{1,40})";')
_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_KNOWN = re.compile(
    r"utf-?8|utf-16(?:le|be)?|(?:iso-?8859-|windows-125|cp125)\d+|latin1|(?:us-)?ascii|koi8-[ru]|shift[_-]jis|sjis"
    r"|euc-(?:jp|kr)|ks_c_5601-1987|gb2312|gbk|gb18030|big5(?:-hkscs)?|iso-2022-jp|macintosh|ibm866|tis-620"
)
# The encoding standard reads these labels as larger sets of characters.
_WIDER = {
    "ascii": "cp1252",
    "us-ascii": "cp1252",
    "latin1": "cp1252",
    "iso-8859-1": "cp1252",
    "iso8859-1": "cp1252",
    "iso-8859-9": "cp1254",
    "tis-620": "cp874",
    "shift_jis": "cp932",
    "shift-jis": "cp932",
    "sjis": "cp932",
    "euc-kr": "cp949",
    "ks_c_5601-1987": "cp949",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "utf-16": "utf-16-le",
    "macintosh": "mac-roman",
}
_NOT_ASCII = re.compile(r"utf-16|iso-?2022")


@dataclass(frozen=True, slots=True)
class Charset:
    """Encoding of a text. `label` is what the document declares, None when it declares nothing that is known."""

    codec: str
    label: str | None = None

    @property
    def has_ascii_markup(self) -> bool:
        """Return whether each byte below 128 is the character of ASCII, at least where it can be markup."""
        return not _NOT_ASCII.match(self.codec)

    def read(self, part: str) -> str:
        """Return the text of a part of a document that was read byte by byte."""
        if part.isascii() or not self.has_ascii_markup:
            return part
        return part.encode("latin-1").decode(self.codec, "replace")


def of_page(body: bytes, content_type: str) -> Charset:
    """Return the encoding that a browser takes for a page; a label that is unknown counts as none."""
    return _first(body, content_type, _IN_META, "cp1252")


def of_style(body: bytes, content_type: str) -> Charset:
    """Return the encoding that a browser takes for a style."""
    return _first(body, content_type, _IN_CSS, "utf-8")


def edited(body: bytes, charset: Charset, edit: Callable[[str], str]) -> bytes:
    """Return a document with an edit of its text, in the same encoding; the edit may only add ASCII."""
    if charset.has_ascii_markup:
        # A character for each byte: what the edit leaves alone is the same byte afterwards, valid or not.
        return edit(body.decode("latin-1")).encode("latin-1", "xmlcharrefreplace")
    text = edit(body.decode(charset.codec, "replace"))
    return text.encode(charset.codec, "xmlcharrefreplace")


def _first(body: bytes, content_type: str, declaration: re.Pattern[bytes], default: str) -> Charset:
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return Charset(codec, codec.removesuffix("-le").removesuffix("-be"))
    in_header = _IN_HEADER.search(content_type)
    if in_header and (codec_of := _codec(in_header[1])):
        return Charset(codec_of, in_header[1].lower())
    declared = declaration.search(body[:_LOOKED_AT])
    if declared and (codec_of := _codec(label := declared[1].decode("ascii", "replace"))):
        # A declaration in ASCII cannot be in UTF-16, so the standard reads it as UTF-8.
        is_wide = codec_of.startswith("utf-16")
        return Charset("utf-8", "utf-8") if is_wide else Charset(codec_of, label.lower())
    return Charset(default)


def _codec(label: str) -> str | None:
    name = label.strip().lower()
    if not _KNOWN.fullmatch(name):
        return None
    try:
        return codecs.lookup(_WIDER.get(name, name)).name
    except LookupError:
        return None
