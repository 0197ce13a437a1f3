"""The HTTP API's payload 2.0: what a handler reads of the event, and the answer it gives."""

from base64 import b64decode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abtest.kit import canonical_json
from abtest.kit.errors import ServiceError

GatewayEvent = Mapping[str, Any]
Answer = dict[str, Any]
Headers = Mapping[str, str]

NO_STORE: Headers = {"Cache-Control": "no-store"}
PUBLIC: Headers = {"X-Content-Type-Options": "nosniff", "Timing-Allow-Origin": "*"}


@dataclass(frozen=True, slots=True)
class Request:
    """One request. Header names are in lower case, as the gateway sends them."""

    method: str
    headers: Headers
    query: Mapping[str, str]
    path: Mapping[str, str]
    address: str

    @classmethod
    def of(cls, event: GatewayEvent) -> "Request":
        """Read the parts of a gateway event; absent ones are empty."""
        http = event["requestContext"]["http"]
        return cls(
            method=http["method"],
            headers=event.get("headers") or {},
            query=event.get("queryStringParameters") or {},
            path=event.get("pathParameters") or {},
            address=http["sourceIp"],
        )


class MethodNotAllowedError(ServiceError):
    """The route knows other methods only."""

    status = 405
    code = "method_not_allowed"

    def __init__(self, allowed: str) -> None:
        super().__init__(f"this address answers {allowed}", headers={"Allow": allowed})


class BodyTooLargeError(ServiceError):
    """The body is larger than a request may bring."""

    status = 413
    code = "payload_too_large"

    def __init__(self, most: int) -> None:
        super().__init__(f"the body has at most {most} bytes")


def body_of(event: GatewayEvent, most: int) -> bytes:
    """The bytes that were sent. Raises BodyTooLargeError, before anything is decoded that is too large anyway."""
    text: str = event.get("body") or ""
    is_encoded = bool(event.get("isBase64Encoded"))
    if len(text) > (most * 4 // 3 + 4 if is_encoded else most):
        raise BodyTooLargeError(most)
    body = b64decode(text) if is_encoded else text.encode(errors="surrogatepass")
    if len(body) > most:
        raise BodyTooLargeError(most)
    return body


class UnsupportedBodyError(ServiceError):
    """The body is declared to be something else than JSON, or is compressed in a way that the route does not take."""

    status = 415
    code = "unsupported_media_type"

    def __init__(self, accepted: Sequence[str], encodings: Sequence[str]) -> None:
        form = f"plain or as {' or '.join(encodings[1:])}" if encodings[1:] else "uncompressed"
        super().__init__(f"send {' or '.join(filter(None, accepted))}, {form}")


def content_encoding(headers: Headers) -> str:
    """How the body is compressed; `identity` for not at all."""
    return headers.get("content-encoding", "identity").strip().lower()


def refuse_other_media(headers: Headers, accepted: Sequence[str], encodings: Sequence[str] = ("identity",)) -> None:
    """Raise UnsupportedBodyError unless the body is declared as one of these media types; "" stands for no type."""
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in accepted or content_encoding(headers) not in encodings:
        raise UnsupportedBodyError(accepted, encodings)


def json_error(error: ServiceError, headers: Headers) -> Answer:
    """The worker's flat error body, `{"error": code, "message": …}`, which nobody keeps."""
    body = canonical_json.dumps({"error": error.code, "message": error.message})
    return _text(error, "application/json", body, headers)


def script_error(error: ServiceError, headers: Headers) -> Answer:
    """An error where a page expects a script: a comment, so that the page goes on as if the tag were not there."""
    line = " ".join(f"{error.code}: {error.message}".splitlines())
    return _text(error, "application/javascript; charset=utf-8", f"// {line}\n", headers)


def style_error(error: ServiceError, headers: Headers) -> Answer:
    """The same where a page expects a style sheet."""
    line = f"{error.code}: {error.message}".replace("*/", "")
    return _text(error, "text/css; charset=utf-8", f"/* {line} */\n", headers)


def _text(error: ServiceError, content_type: str, body: str, headers: Headers) -> Answer:
    return {
        "statusCode": error.status,
        "headers": {**headers, **NO_STORE, "Content-Type": content_type, **error.headers},
        "body": body,
    }
