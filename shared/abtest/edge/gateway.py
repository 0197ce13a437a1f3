"""Payload 2.0 of the HTTP API: the request in an event, and answers."""

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
    """Method that the route does not have."""

    status = 405
    code = "method_not_allowed"

    def __init__(self, allowed: str) -> None:
        super().__init__(f"this address answers {allowed}", headers={"Allow": allowed})


class BodyTooLargeError(ServiceError):
    """Body that is larger than the route allows."""

    status = 413
    code = "payload_too_large"

    def __init__(self, most: int) -> None:
        super().__init__(f"the body must have at most {most} bytes")


def body_of(event: GatewayEvent, most: int) -> bytes:
    """Return the bytes of the body. Raises BodyTooLargeError, before decoding where the text is already too long."""
    text: str = event.get("body") or ""
    is_encoded = bool(event.get("isBase64Encoded"))
    # Base64 has four characters for three bytes; the other four are for rounding and padding.
    if len(text) > (most * 4 // 3 + 4 if is_encoded else most):
        raise BodyTooLargeError(most)
    body = b64decode(text) if is_encoded else text.encode(errors="surrogatepass")
    if len(body) > most:
        raise BodyTooLargeError(most)
    return body


class UnsupportedBodyError(ServiceError):
    """Body declared as another media type, or compressed in a way that the route does not take."""

    status = 415
    code = "unsupported_media_type"

    def __init__(self, accepted: Sequence[str], encodings: Sequence[str]) -> None:
        form = f"plain or as {' or '.join(encodings[1:])}" if encodings[1:] else "uncompressed"
        super().__init__(f"send {' or '.join(filter(None, accepted))}, {form}")


def content_encoding(headers: Headers) -> str:
    """Return the compression of the body; `identity` for none."""
    return headers.get("content-encoding", "identity").strip().lower()


def refuse_other_media(headers: Headers, accepted: Sequence[str], encodings: Sequence[str] = ("identity",)) -> None:
    """Raise UnsupportedBodyError unless the body is declared as one of these media types; "" stands for no type."""
    media_type = headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type not in accepted or content_encoding(headers) not in encodings:
        raise UnsupportedBodyError(accepted, encodings)


def json_error(error: ServiceError, headers: Headers) -> Answer:
    """Return the worker's flat error body, `{"error": code, "message": …}`, which caches do not store."""
    body = canonical_json.dumps({"error": error.code, "message": error.message})
    return error_answer(error, "application/json", body, headers)


def script_error(error: ServiceError, headers: Headers) -> Answer:
    """Return an error as a script: a comment, so that the page works as if the tag were not there."""
    # Every line break that JavaScript knows would end the comment, and the rest would run as code; splitlines knows
    # U+2028 and U+2029 too.
    line = " ".join(f"{error.code}: {error.message}".splitlines())
    return error_answer(error, "application/javascript; charset=utf-8", f"// {line}\n", headers)


def style_error(error: ServiceError, headers: Headers) -> Answer:
    """Return an error as a style sheet that is only a comment."""
    # `*/` would end the comment, and the rest of the message would be read as style rules.
    line = f"{error.code}: {error.message}".replace("*/", "")
    return error_answer(error, "text/css; charset=utf-8", f"/* {line} */\n", headers)


def error_answer(error: ServiceError, content_type: str, body: str, headers: Headers) -> Answer:
    """Return an error that caches do not store, with the headers of route and error."""
    return {
        "statusCode": error.status,
        "headers": {**headers, **NO_STORE, "Content-Type": content_type, **error.headers},
        "body": body,
    }
