"""Request bodies: how large, of which type, and JSON read strictly once."""

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request

from abtest.http.refusals import (
    InvalidJsonBodyError,
    PayloadTooLargeError,
    UnknownPropertyError,
    UnsupportedMediaTypeError,
)
from abtest.kit import canonical_json
from abtest.kit.errors import FieldError

DEFAULT_LIMIT = 1 << 20
CODE_LIMIT = 5 << 20


class ParsedRequest(Request):
    """A request whose body was already read and parsed by our own strict reader."""

    def __init__(self, request: Request, raw: bytes, value: Any) -> None:
        super().__init__(request.scope, request.receive)
        self._raw = raw
        self._value = value

    async def body(self) -> bytes:
        """The bytes as they came."""
        return self._raw

    async def json(self) -> Any:
        """The value they stand for."""
        return self._value


@dataclass(frozen=True, slots=True)
class BodyRule:
    """What a route takes: at most `limit` bytes, and a document only if it `expected` one."""

    limit: int
    expected: bool


async def read(request: Request, rule: BodyRule) -> ParsedRequest:
    """The request with its body read.

    Raises PayloadTooLargeError, UnsupportedMediaTypeError, InvalidJsonBodyError, and UnknownPropertyError when a route
    that takes no document is sent one.
    """
    raw = await _bytes(request, rule.limit)
    if not raw:
        return ParsedRequest(request, b"", None)
    if not _is_json(request.headers.get("content-type", "")):
        raise UnsupportedMediaTypeError
    value = parse(raw)
    if not rule.expected and value not in ({}, None):
        raise UnknownPropertyError("this route takes no document", fields=_named(value))
    return ParsedRequest(request, raw, value)


def parse(raw: bytes) -> Any:
    """Strict JSON. Raises InvalidJsonBodyError, for text that UTF-8 cannot hold (lone surrogates) too."""
    try:
        value = canonical_json.loads(raw)
        if b"\\ud" in raw or b"\\uD" in raw:
            canonical_json.dumps(value).encode()
    except UnicodeEncodeError as error:
        raise InvalidJsonBodyError("the body is no valid JSON: a lone surrogate") from error
    except canonical_json.InvalidJsonError as error:
        raise InvalidJsonBodyError(f"the body is no valid JSON: {error}"[:300]) from error
    return value


async def _bytes(request: Request, limit: int) -> bytes:
    announced = request.headers.get("content-length", "")
    if announced.isascii() and announced.isdigit() and int(announced[:20]) > limit:
        raise PayloadTooLargeError(limit)
    raw = await request.body()
    if len(raw) > limit:
        raise PayloadTooLargeError(limit)
    return raw


def _is_json(content_type: str) -> bool:
    media_type = content_type.partition(";")[0].strip().lower()
    return media_type == "application/json" or (media_type.startswith("application/") and media_type.endswith("+json"))


def _named(value: Any) -> list[FieldError]:
    names = list(value)[:20] if isinstance(value, dict) else []
    return [FieldError(str(name)[:100], "not taken here") for name in names]
