"""Addresses in CSS. A pattern with possessive quantifiers reads it once, however hostile; all else stays as it is.

Fonts, imported styles, masks and drawings must be of the page's own origin, so they come through the proxy. Pictures
need not be, and come from the shop.
"""

import re

from abtest.domain.preview.addresses import PreviewSite, is_allowed, query_form, resolved
from abtest.domain.preview.charsets import Charset, edited, of_style

_WS = r"[ \t\n\r\f]*+"
_ADDRESSES = re.compile(
    r"/\*(?:[^*]++|\*(?!/))*+(?:\*/)?"
    rf"|(?P<import>@[iI][mM][pP][oO][rR][tT]{_WS}(?=[\"']))"
    rf"|[uU][rR][lL]\({_WS}(?:\"(?P<double>(?:[^\"\\\n]++|\\[\s\S])*+)\"|'(?P<single>(?:[^'\\\n]++|\\[\s\S])*+)'"
    rf"|(?P<bare>(?:[^\"'()\\ \t\n\r\f]++|\\(?:[0-9a-fA-F]{{1,6}}+[ \t\n\r\f]?|[^\n]))*+)){_WS}\)"
    r"|(?P<text>\"(?:[^\"\\\n]++|\\[\s\S])*+\"|'(?:[^'\\\n]++|\\[\s\S])*+')"
)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})[ \t\n\r\f]?|\r\n|([\s\S]))")
_PICTURE = re.compile(r"\.(?:png|jpe?g|gif|webp|avif|bmp|ico)$", re.IGNORECASE)
_OWN_ORIGIN = re.compile(r"mask|shape-outside|@import", re.IGNORECASE)
_LOOKED_BACK_AT = 200
MAX_ADDRESSES = 10_000
"""Addresses of one style that are read. Styles of thousands are attacks, and addresses grow by the token."""

_HIGHEST_CHARACTER = 0x10FFFF


def rewrite_stylesheet(css: bytes, content_type: str, *, page_url: str, site: PreviewSite) -> bytes:
    """Return a style of the address `page_url` with its addresses at the proxy."""
    charset = of_style(css, content_type)
    return edited(css, charset, lambda text: rewrite_css(text, page_url=page_url, site=site, charset=charset))


def rewrite_css(
    text: str, *, page_url: str, site: PreviewSite, charset: Charset | None = None, is_file: bool = True
) -> str:
    """Return CSS with its addresses at the proxy.

    In a style of a document (`is_file` is False) the base of the document keeps the addresses of pictures.
    """
    has_image_sets = "image-set(" in text.lower()
    return _ADDRESSES.sub(_Rewriter(page_url, site, charset, is_file, has_image_sets), text)


class _Rewriter:
    """Replacement of one match."""

    def __init__(
        self, page_url: str, site: PreviewSite, charset: Charset | None, is_file: bool, has_image_sets: bool
    ) -> None:
        self._page_url = page_url
        self._site = site
        self._charset = charset
        self._is_file = is_file
        self._has_image_sets = has_image_sets
        self._is_import = False
        self._known: dict[tuple[str, bool], str | None] = {}
        self._count = 0

    def __call__(self, match: re.Match[str]) -> str:
        whole = match[0]
        if self._count > MAX_ADDRESSES:
            return whole
        if match.lastgroup == "import":
            self._is_import = True
            return whole
        if match.lastgroup == "text":
            # A string is an address after @import, and in image-set().
            is_import, self._is_import = self._is_import, False
            is_in_set = self._has_image_sets and "image-set(" in _declaration_before(match).lower()
            if not is_import and not is_in_set:
                return whole
            address = self._address(whole[1:-1], is_import)
            return f'"{address}"' if address else whole
        if match.lastgroup is None:
            return whole
        address = self._address(match[match.lastgroup], _OWN_ORIGIN.search(_declaration_before(match)) is not None)
        return f'url("{address}")' if address else whole

    def _address(self, raw: str, needs_own_origin: bool) -> str | None:
        """Return what the address becomes; None for one that stays."""
        if raw.startswith(("#", "data:")):
            return None
        self._count += 1
        key = raw, needs_own_origin
        if key not in self._known:
            self._known[key] = self._mapped(raw, needs_own_origin)
        return self._known[key]

    def _mapped(self, raw: str, needs_own_origin: bool) -> str | None:
        text = _ESCAPE.sub(_unescaped, self._charset.read(raw) if self._charset else raw).strip()
        url = resolved(text, self._page_url) if text else None
        if url is None or not is_allowed(self._site, url):
            return None
        if needs_own_origin or not _PICTURE.search(url.path):
            return query_form(self._site, url)
        return url.href.replace("\\", "%5C") if self._is_file else None


def _declaration_before(match: re.Match[str]) -> str:
    """Return the declaration or the rule that an address is in, up to it."""
    text = match.string[max(0, match.start() - _LOOKED_BACK_AT) : match.start()]
    return text[max(text.rfind(sign) for sign in ";{}") + 1 :]


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        number = int(match[1], 16)
        return chr(number) if 0 < number <= _HIGHEST_CHARACTER and not 0xD800 <= number <= 0xDFFF else "\ufffd"
    return "" if match[2] in (None, "\n", "\r", "\f") else match[2]
