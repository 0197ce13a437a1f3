"""Request bodies: size limit, content type, and strict JSON that is parsed once."""

import re
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

_JSON_TYPE = re.compile(r"application/(json|.*\+json)", re.DOTALL)
_CODINGS = frozenset({"gzip", "x-gzip", "br", "deflate", "zstd", "compress"})
DEFAULT_LIMIT = 1 << 20
CODE_LIMIT = 5 << 20


class ParsedRequest(Request):
    """Request whose body was already read and parsed, by a stricter parser than Starlette's."""

    def __init__(self, request: Request, raw: bytes, value: Any) -> None:
        super().__init__(request.scope, request.receive)
        self._raw = raw
        self._value = value

    async def body(self) -> bytes:
        """Return the bytes of the body."""
        return self._raw

    async def json(self) -> Any:
        """Return the parsed value."""
        return self._value


@dataclass(frozen=True, slots=True)
class BodyRule:
    """Body that a route accepts: at most `limit` bytes, and a document only if `expected`."""

    limit: int
    expected: bool


async def read(request: Request, rule: BodyRule) -> ParsedRequest:
    """Return the request with its body read and parsed.

    Raises PayloadTooLargeError, UnsupportedMediaTypeError, InvalidJsonBodyError, and UnknownPropertyError for a
    document on a route that accepts none.
    """
    announced = request.headers.get("content-length", "")
    # A large body is refused before it is read. The header may be missing or wrong, so the bytes are counted too.
    # `isdigit` alone accepts ², for which int() raises, as it does for more than 4,300 digits.
    if announced.isascii() and announced.isdigit() and int(announced[:20]) > rule.limit:
        raise PayloadTooLargeError(rule.limit)
    raw = await request.body()
    if len(raw) > rule.limit:
        raise PayloadTooLargeError(rule.limit)
    if not raw:
        return ParsedRequest(request, b"", None)
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not _JSON_TYPE.fullmatch(media_type):
        raise UnsupportedMediaTypeError
    coding = request.headers.get("content-encoding", "").strip().lower()
    if coding not in ("", "identity"):
        # Errors repeat no value of the request, so only known codings are named.
        raise UnsupportedMediaTypeError(coding if coding in _CODINGS else "unknown")
    value = parse(raw)
    if not rule.expected and value not in ({}, None):
        names = list(value)[:20] if isinstance(value, dict) else []
        fields = [FieldError(str(name)[:100], "is not accepted by this route") for name in names]
        raise UnknownPropertyError("this route accepts no document; send an empty body", fields=fields)
    return ParsedRequest(request, raw, value)


def parse(raw: bytes) -> Any:
    """Return the value of strict JSON. Raises InvalidJsonBodyError, also for lone surrogates."""
    # The parser accepts an escaped lone surrogate, but UTF-8 cannot encode it in storage or in a response.
    try:
        value = canonical_json.loads_request(raw)
        # Only an escape can give a lone surrogate, as the bytes are valid UTF-8. Other bodies need no second pass.
        if b"\\ud" in raw or b"\\uD" in raw:
            canonical_json.dumps(value).encode()
    except UnicodeEncodeError as error:
        raise InvalidJsonBodyError("the body must be valid JSON: it has a lone surrogate") from error
    except canonical_json.InvalidJsonError as error:
        raise InvalidJsonBodyError(f"the body must be valid JSON: {error}"[:300]) from error
    return value
