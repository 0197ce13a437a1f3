"""Cursor pagination. Cursors are opaque, signed, and valid for the same list and filters only."""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Any, TypeVar

from fastapi import Query
from starlette.requests import Request

from abtest.contract.base import ListOf, Output, Pagination
from abtest.http.exchange import exchange_of
from abtest.http.refusals import InvalidCursorError
from abtest.kit import canonical_json

DEFAULT_LIMIT, MAX_LIMIT = 50, 100
_MAC_BYTES = 16
NOT_FILTERS = {"cursor", "limit"}
"""Parameters of lists that do not choose items."""

Item = TypeVar("Item", bound=Output)


@dataclass(frozen=True, slots=True)
class Paging:
    """Requested page: at most `limit` items that follow the key `after`."""

    limit: int
    after: str | None
    _list: str
    _key: bytes

    def page(self, items: Sequence[Item], last: str | None) -> ListOf[Item]:
        """Return the response. `last` is the key that continues the list, None at its end."""
        return ListOf[Any](data=list(items), pagination=self.position(last))

    def position(self, last: str | None) -> Pagination:
        """Return the position in the list, for a response that has more than a list."""
        cursor = None
        if last is not None:
            content = canonical_json.encode([self._list, last])
            cursor = urlsafe_b64encode(signature(self._key, content) + content).decode().rstrip("=")
        return Pagination(limit=self.limit, next_cursor=cursor, has_more=cursor is not None)


async def paging(
    request: Request,
    limit: Annotated[int, Query(description="Items per page; clamped to 1..100.")] = DEFAULT_LIMIT,
    cursor: Annotated[
        str | None, Query(description="`next_cursor` of the previous page, with the same filters.")
    ] = None,
) -> Paging:
    """Return the requested page. Raises InvalidCursorError."""
    exchange = exchange_of(request)
    key = exchange.services.cursor_key()
    caller = exchange.known_caller
    filters = sorted(
        (name, value)
        for name, value in request.query_params.multi_items()
        if name not in NOT_FILTERS and exchange.query_defaults.get(name) != value
    )
    # A cursor is valid for one owner, one list and one set of filters: elsewhere its key would lead to other items.
    identity = canonical_json.sha256([caller.shop_id or caller.user_id, request.url.path, filters])[:32]
    after = None if cursor is None else key_of_cursor(cursor, identity, key)
    return Paging(max(1, min(limit, MAX_LIMIT)), after, identity, key)


def key_of_cursor(cursor: str, identity: str, key: bytes) -> str:
    """Return the list key in a cursor. Raises InvalidCursorError when it is forged or belongs to another list."""
    try:
        # Cursors have no padding, which would need escapes in a URL.
        raw = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
    except (Base64Error, ValueError):
        raw = b""
    mac, content = raw[:_MAC_BYTES], raw[_MAC_BYTES:]
    # The content is parsed only if it was signed here, so it always has the expected form.
    is_ours = hmac.compare_digest(mac, signature(key, content))
    cursor_identity, last = canonical_json.loads(content) if is_ours else (None, None)
    if cursor_identity != identity:
        raise InvalidCursorError("the cursor must be `next_cursor` of the same list with the same filters")
    return str(last)


def signature(key: bytes, content: bytes) -> bytes:
    """Return the message authentication code of a cursor's content."""
    return hmac.new(key, content, sha256).digest()[:_MAC_BYTES]
