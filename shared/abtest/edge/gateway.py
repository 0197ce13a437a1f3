"""The HTTP API's payload 2.0: what a handler reads of the event, and the answer it gives."""

from collections.abc import Mapping
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


def json_error(error: ServiceError, headers: Headers) -> Answer:
    """The worker's flat error body, `{"error": code, "message": …}`, which nobody keeps."""
    body = canonical_json.dumps({"error": error.code, "message": error.message})
    return _text(error, "application/json", body, headers)


def script_error(error: ServiceError, headers: Headers) -> Answer:
    """An error where a page expects a script: a comment, so that the page goes on as if the tag were not there."""
    line = f"{error.code}: {error.message}".replace("\n", " ")
    return _text(error, "application/javascript; charset=utf-8", f"// {line}\n", headers)


def _text(error: ServiceError, content_type: str, body: str, headers: Headers) -> Answer:
    return {
        "statusCode": error.status,
        "headers": {**headers, **NO_STORE, "Content-Type": content_type, **error.headers},
        "body": body,
    }
