"""A shop's page as its preview: one pass over its tokens, and edits of single attributes; all other bytes stay.

`turbohtml.rewrite` would write each edited tag again and turn line ends into one form. Its tokenizer alone is as fast,
and gives places, so that a page keeps each byte that no edit names, in any encoding and however broken it is.
"""

from collections.abc import Iterator
from html import escape

from turbohtml import Token, TokenType, tokenize

from abtest.domain.preview.addresses import PreviewSite
from abtest.domain.preview.charsets import Charset, edited, of_page
from abtest.domain.preview.css import rewrite_css
from abtest.domain.preview.document import MAX_GROWTH, Document, Places
from abtest.domain.preview.elements import HANDLERS
from abtest.domain.preview.import_maps import rewrite_import_map
from abtest.domain.preview.state import bridge_tag, module_map_tag, snippet_tag
from abtest.domain.preview.tags import StartTag, apply, read_tag

_TEXT, _START = TokenType.TEXT, TokenType.START_TAG
_LOOKED_AT = HANDLERS.keys() | {"style"}
_BEFORE_CONTENT = frozenset({"html", "head"})
_BLANK = "\ufeff\xef\xbb\xbf \t\n\f\r"
"""White space and byte order marks, as the characters of a text that is read byte by byte too."""

_MAX_DEPTH = 2
_DECODED = Charset("utf-16-le")
"""Encoding of a document that is a text already: its characters need no reading."""


def rewrite_html(html: bytes, content_type: str, *, page_url: str, site: PreviewSite, cookie: str = "") -> bytes:
    """Return a page of the address `page_url` as its preview, in the same encoding.

    `cookie` is what its scripts see of cookies. The bridge comes first in the head, then our snippet unless it takes
    the place of the shop's.
    """
    charset = of_page(html, content_type)
    return edited(html, charset, lambda text: _Rewriting(text, charset, page_url, site, cookie).result())


class _Rewriting:
    """One document. Frames with documents of their own (`srcdoc`) are rewritten in the same way, to a depth."""

    def __init__(
        self,
        text: str,
        charset: Charset,
        page_url: str,
        site: PreviewSite,
        cookie: str,
        *,
        depth: int = 0,
        room: int = MAX_GROWTH,
    ) -> None:
        self._document = Document(text, charset, site, page_url, self._nested, room)
        self._places = Places(text)
        self._cookie = cookie
        self._depth = depth
        self._raw: StartTag | None = None
        # Most pages have neither, and then only the elements of the table are looked at.
        lower = text.lower()
        self._checks_each = "referrerpolicy" in lower or ("style=" in lower and "url(" in lower)

    def result(self) -> str:
        """Return the document's preview."""
        document = self._document
        tokens = tokenize(document.text, resolve_references=False)
        head = self._pass_prologue(tokens)
        for token in tokens:
            # The loop runs for each tag and each text, so it calls only what most of them do not need.
            kind = token.type
            if kind is _TEXT or (kind is not _START and self._raw is None):
                continue
            if self._raw is not None or self._checks_each or token.tag in _LOOKED_AT:
                self._take(token, self._places.of(token.line, token.col))
                if document.is_full:
                    break
        else:
            self._close_raw(len(document.text))
        document.edits.append((head, head, self._head()))
        return apply(document.text, document.edits)

    def _pass_prologue(self, tokens: Iterator[Token]) -> int:
        """Return where the head begins: before the first token that is content."""
        for token in tokens:
            is_text = token.type is _TEXT and (token.data or "").strip(_BLANK)
            is_tag = token.type is _START and token.tag not in _BEFORE_CONTENT
            if is_text or is_tag:
                place = self._places.of(token.line, token.col)
                self._take(token, place)
                return place
        return len(self._document.text)

    def _take(self, token: Token, place: int) -> None:
        """Rewrite the style or import map that ends at a token, and the token if it is a start tag."""
        self._close_raw(place)
        name = token.tag or ""
        tag = read_tag(self._document.text, place, name) if token.type is _START else None
        if tag is None:
            return
        if handler := HANDLERS.get(name):
            handler(self._document, tag)
        if self._checks_each:
            self._take_any(tag)
        if name == "style" or (name == "script" and tag.word("type") == "importmap"):
            self._raw = tag

    def _take_any(self, tag: StartTag) -> None:
        """Edit what any element may have."""
        if tag.name != "meta":
            self._document.map_style(tag)
            # Its value could send addresses with the token to other hosts.
            self._document.remove(tag, "referrerpolicy")

    def _close_raw(self, end: int) -> None:
        """Rewrite the text of the style or import map that ends here."""
        tag, self._raw = self._raw, None
        if tag is None:
            return
        document = self._document
        text = document.text[tag.end : end]
        if tag.name == "style":
            mapped: str | None = rewrite_css(
                text, page_url=document.base_url, site=document.site, charset=document.charset, is_file=False
            )
        else:
            mapped = rewrite_import_map(
                document.charset.read(text), base_url=document.base_url, page_url=document.page_url, site=document.site
            )
            document.has_import_map = document.has_import_map or mapped is not None
        if mapped is not None and mapped != text:
            document.edit(tag.end, end, mapped)

    def _head(self) -> str:
        """Return what comes first in the head; the encoding must be declared early, and the bridge is long."""
        document, site = self._document, self._document.site
        label = document.charset.label if not self._depth else None
        return "".join(
            (
                f'<meta charset="{label}">' if label else "",
                f'<base href="{escape(document.base_url)}">',
                bridge_tag(site, document.page_url, self._cookie),
                "" if document.has_import_map else module_map_tag(site, document.page_url),
                "" if document.has_snippet or self._depth else snippet_tag(site),
            )
        )

    def _nested(self, text: str, room: int) -> str:
        document = self._document
        if self._depth >= _MAX_DEPTH:
            return text
        return _Rewriting(
            text, _DECODED, document.page_url, document.site, self._cookie, depth=self._depth + 1, room=room
        ).result()
