"""Addresses that a page may link to: an allow-list, so that no spelling of a script gets through."""

import re

from ada_url import URL

from abtest.kit.visible_text import has_unsafe

MAX_HREF = 2048
SLUG = "[a-z0-9]+(-[a-z0-9]+)*"
"""Pattern of a block's id, which is its anchor."""

_FORBIDDEN = re.compile(r"[\s\\]")
_ABSOLUTE = re.compile("https://(?!/)", re.IGNORECASE)
_ANCHOR = re.compile(f"#{SLUG}")
_PATH = re.compile(r"/(?!/).*")
_MAIL = re.compile(r"mailto:[^@?/]+@[^@?/]+(\?.*)?", re.IGNORECASE)
_PHONE = re.compile(r"tel:\+?[0-9(][0-9().-]*", re.IGNORECASE)


def href_problem(href: str) -> str | None:
    """Return what is wrong with the address of a link, as the end of "must …"; None when it is allowed."""
    if len(href) > MAX_HREF:
        return f"have at most {MAX_HREF} characters"
    if has_unsafe(href) or _FORBIDDEN.search(href):
        return "have no spaces, control characters or backslashes"
    if any(pattern.fullmatch(href) for pattern in (_ANCHOR, _PATH, _MAIL, _PHONE)) or is_https(href):
        return None
    if href.startswith("//"):
        return "begin with https:// or with a single slash, because // leads to another host"
    return "be an https address, a path such as /cart, an anchor such as #faq, a mailto: or a tel: address"


def is_https(address: str) -> bool:
    """Return whether an address is absolute, uses https, and has no credentials."""
    # The parser also accepts addresses with one slash, with three or with backslashes.
    if not _ABSOLUTE.match(address) or has_unsafe(address) or _FORBIDDEN.search(address):
        return False
    try:
        url = URL(address)
    except ValueError:
        return False
    return bool(url.hostname) and not url.username and not url.password
