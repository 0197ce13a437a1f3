"""Cursor pagination: opaque, signed, good for the same list only."""

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
from abtest.http.exchange import Exchange, exchange_of
from abtest.http.refusals import InvalidCursorError
from abtest.kit import canonical_json

DEFAULT_LIMIT, MAX_LIMIT = 50, 100
_MAC_BYTES = 16
_NOT_FILTERS = {"cursor", "limit"}

Item = TypeVar("Item", bound=Output)


@dataclass(frozen=True, slots=True)
class Paging:
    """Which page is asked for: at most `limit` items, those that follow the key `after`."""

    limit: int
    after: str | None
    _list: str
    _key: bytes

    def page(self, items: Sequence[Item], last: str | None) -> ListOf[Item]:
        """The answer; `last` is the key that continues the list, None when it has ended."""
        cursor = None if last is None else self._cursor(last)
        pagination = Pagination(limit=self.limit, next_cursor=cursor, has_more=cursor is not None)
        return ListOf[Any](data=list(items), pagination=pagination)

    def _cursor(self, last: str) -> str:
        content = canonical_json.encode([self._list, last])
        return urlsafe_b64encode(_mac(self._key, content) + content).decode().rstrip("=")


async def paging(
    request: Request,
    limit: Annotated[int, Query(description="Items per page; clamped to 1..100.")] = DEFAULT_LIMIT,
    cursor: Annotated[
        str | None, Query(description=("`next_cursor` of the previous page, with the same filters."))
    ] = None,
) -> Paging:
    """Read limit and cursor. Raises InvalidCursorError."""
    exchange = exchange_of(request)
    key = exchange.services.cursor_key()
    identity = _list_identity(request, exchange)
    after = None if cursor is None else _read(cursor, identity, key)
    return Paging(max(1, min(limit, MAX_LIMIT)), after, identity, key)


def _list_identity(request: Request, exchange: Exchange) -> str:
    """A hash of whose list this is, which one, and how it is filtered."""
    caller = exchange.known_caller
    filters = sorted((name, value) for name, value in request.query_params.multi_items() if name not in _NOT_FILTERS)
    return canonical_json.sha256([caller.shop_id or caller.user_id, request.url.path, filters])[:32]


def _read(cursor: str, identity: str, key: bytes) -> str:
    content = _verified(cursor, key)
    found = canonical_json.loads(content) if content else [None, None]
    if found[0] != identity:
        raise InvalidCursorError("the cursor is not one of this list with these filters")
    return str(found[1])


def _verified(cursor: str, key: bytes) -> bytes | None:
    try:
        raw = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
    except (Base64Error, ValueError):
        return None
    mac, content = raw[:_MAC_BYTES], raw[_MAC_BYTES:]
    return content if hmac.compare_digest(mac, _mac(key, content)) else None


def _mac(key: bytes, content: bytes) -> bytes:
    return hmac.new(key, content, sha256).digest()[:_MAC_BYTES]
