"""Document that is rewritten: its text, what is known of it so far, and the edits to be made."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

from abtest.domain.preview.addresses import PreviewSite, WebAddress, path_form, query_form, resolved
from abtest.domain.preview.charsets import Charset
from abtest.domain.preview.css import rewrite_css
from abtest.domain.preview.tags import StartTag, removal, value_edit

MAX_GROWTH = 4 * 1024 * 1024
"""Characters that edits may add. Addresses beyond it stay the shop's, and the bridge catches the clicks."""

_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(slots=True)
class Document:
    """`base_url` is what relative addresses are read against, `nested` rewrites the document of a frame."""

    text: str
    charset: Charset
    site: PreviewSite
    page_url: str
    nested: Callable[[str, int], str]
    room: int = MAX_GROWTH
    base_url: str = ""
    edits: list[tuple[int, int, str]] = field(default_factory=list)
    is_full: bool = False
    has_snippet: bool = False
    has_import_map: bool = False
    known: dict[tuple[bool, str], str | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.base_url = self.page_url

    def edit(self, start: int, end: int, replacement: str) -> None:
        """Replace a part of the text, unless it would grow too much."""
        growth = max(0, len(replacement) - (end - start))
        if growth <= self.room:
            self.room -= growth
            self.edits.append((start, end, replacement))
        else:
            self.is_full = True

    def set(self, tag: StartTag, name: str, value: str) -> None:
        """Give an attribute a value, whether the tag has it or not."""
        if name in tag.attributes:
            self.edit(*value_edit(tag.attributes[name], value))
        else:
            start, end = tag.after_name, tag.after_name
            self.edit(start, end, f' {name}="{value}"')

    def remove(self, tag: StartTag, *names: str) -> None:
        """Take attributes away."""
        for name in names:
            if name in tag.attributes:
                self.edit(*removal(tag.attributes[name]))

    def map(self, tag: StartTag, name: str, *, is_script: bool = False) -> None:
        """Give an attribute the address at the proxy, if it has one there."""
        attribute = tag.attributes.get(name)
        # A fragment is a place of this document, and scripts take it for a selector.
        if attribute is None or attribute.raw.startswith("#"):
            return
        key = is_script, attribute.raw
        if key not in self.known:
            self.known[key] = self.mapped(tag.text(name, self.charset), is_script=is_script)
        mapped = self.known[key]
        if mapped is not None:
            self.edit(*value_edit(attribute, mapped))

    def mapped(self, address: str, *, is_script: bool = False) -> str | None:
        """Return an address of the document at the proxy; None for one that stays."""
        url = self.resolve(address)
        return path_form(self.site, url) if is_script else query_form(self.site, url)

    def resolve(self, address: str) -> WebAddress | None:
        """Return the absolute address of one in the document; None for a text that is not an address."""
        return resolved(self._with_query(address), self.base_url)

    def map_style(self, tag: StartTag) -> None:
        """Map the addresses in a `style` attribute."""
        attribute = tag.attributes.get("style")
        if attribute is None or "url(" not in attribute.raw.lower():
            return
        css = tag.text("style", self.charset)
        mapped = rewrite_css(css, page_url=self.base_url, site=self.site, is_file=False)
        if mapped != css:
            self.edit(*value_edit(attribute, mapped))

    def _with_query(self, address: str) -> str:
        """Return the address with its query in the encoding of the document, as browsers send it."""
        head, mark, query = address.partition("?")
        if not mark or query.isascii() or self.charset.codec == "utf-8" or not self.charset.has_ascii_markup:
            return address
        query, fragment_mark, fragment = query.partition("#")
        encoded = query.encode(self.charset.codec, "xmlcharrefreplace")
        sent = "".join(chr(byte) if byte < 0x80 else f"%{byte:02X}" for byte in encoded)
        return f"{head}?{sent}{fragment_mark}{fragment}"


class Places:
    """Places in a text by line and column, for one pass from its beginning to its end."""

    def __init__(self, text: str) -> None:
        self._ends = _LINE_END.finditer(text)
        self._length = len(text)
        self._line = 1
        self._start = 0

    def of(self, line: int, column: int) -> int:
        """Return the index of a place; lines may not go back."""
        if line > self._line:
            end = next(islice(self._ends, line - self._line - 1, None), None)
            self._line, self._start = line, end.end() if end else self._length
        return self._start + column
