"""Addresses of landing pages: one spelling for each host and path, and the paths that pages cannot have.

Both sides use it: what a shop asks to publish, and what a visitor requests. So two spellings of one address lead to
one page, and no spelling gets past the reserved paths.
"""

import re
from unicodedata import normalize
from urllib.parse import quote, unquote_to_bytes

from abtest.kit.errors import FieldError, ServiceError
from abtest.kit.visible_text import has_unsafe

MAX_PATH_BYTES = 512

RESERVED = frozenset({"api", "s", "events", "_svc", "health", "checkout", "cart", "assign", "a", ".well-known"})
"""First segments of paths that belong to the service or the shop, in any case."""

# Slashes, backslashes and controls in escapes: gateways differ in whether they decode these, so no page has them.
_AMBIGUOUS = re.compile(r"%(?:2F|5C|[01][0-9A-F]|7F)", re.ASCII | re.IGNORECASE)
_BROKEN_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})", re.ASCII)
_KEPT = "!$&'()+,;=:@"
"""Besides letters, digits and `-._~`, the characters that a segment has without an escape."""


class InvalidPathError(ValueError):
    """Text that cannot be the path of a page; the message completes the sentence "must …"."""


class ReservedPathError(ServiceError):
    """Path that the service or the shop needs for itself."""

    status = 422
    code = "reserved_path"

    def __init__(self, path: str, field: str) -> None:
        message = f"the paths below /{path.split('/')[1]} are reserved; choose another first segment"
        super().__init__(f"{field}: {message}", fields=[FieldError(field, message)])


class RouteTakenError(ServiceError):
    """Address that another landing page has."""

    status = 409
    code = "route_taken"


def normalized_host(host: str) -> str:
    """Return a host in lower case without port and final dot."""
    return re.sub(r":\d*\Z", "", host.lower()).removesuffix(".")


def normalized_path(path: str) -> str:
    """Return the one spelling of a path. Raises InvalidPathError.

    It has no dot segments, no empty segments and no slash at the end. Unicode is in the form NFC and not escaped, ASCII
    is escaped only where it must be. Case is kept.
    """
    if not path.startswith("/") or any(character in path for character in "?#\\"):
        raise InvalidPathError("begin with / and have no query, fragment or backslash")
    if "*" in path or "%2A" in path.upper():
        # The CDN would drop the pages of every shop with this one.
        raise InvalidPathError("have no asterisk")
    if _BROKEN_ESCAPE.search(path) or _AMBIGUOUS.search(path):
        raise InvalidPathError("have escapes of two hexadecimal digits, and none of slashes or control characters")
    try:
        text = normalize("NFC", unquote_to_bytes(path).decode())
    except UnicodeError:
        raise InvalidPathError("be UTF-8") from None
    if has_unsafe(text):
        raise InvalidPathError("have no control characters, line breaks or overrides of the writing direction")
    normalized = "/" + "/".join(map(_escaped, _without_dots(text)))
    if len(normalized.encode()) > MAX_PATH_BYTES:
        raise InvalidPathError(f"have at most {MAX_PATH_BYTES} bytes")
    return normalized


def is_reserved(path: str) -> bool:
    """Return whether the first segment of a normalized path is reserved."""
    return path.split("/")[1].casefold() in RESERVED


def refuse_reserved(path: str, field: str) -> None:
    """Raise ReservedPathError for a normalized path whose first segment is reserved."""
    if is_reserved(path):
        raise ReservedPathError(path, field)


def encoded_path(path: str) -> str:
    """Return a normalized path as browsers request it. Caches know it by this spelling."""
    return quote(path, safe=f"/%{_KEPT}")


def page_address(host: str, path: str) -> str:
    """Return the https address of a normalized host and path."""
    return f"https://{host}{encoded_path(path)}"


def route_name(host: str, path: str) -> str:
    """Return the name that a published page claims in the whole service, of a normalized host and path."""
    return f"ROUTE#{host}#{path}"


def _without_dots(path: str) -> list[str]:
    segments: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            # Above the root is the root, as in browsers.
            del segments[-1:]
        elif segment not in ("", "."):
            segments.append(segment)
    return segments


def _escaped(segment: str) -> str:
    # Only ASCII: a letter of any other script stays as it is, so that the path is legible in lists.
    return "".join(character if not character.isascii() else quote(character, safe=_KEPT) for character in segment)
