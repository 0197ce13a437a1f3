"""CORS for every origin to read an edge route, without credentials."""

from collections.abc import Mapping

from abtest.edge.gateway import Answer, Request

CORS: Mapping[str, str] = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Retry-After, X-Service-Config-Cache",
}
_PREFLIGHT: Mapping[str, str] = {
    "Access-Control-Allow-Headers": "content-type, x-svc-shop, x-svc-signature",
    "Access-Control-Max-Age": "86400",  # seconds; Chromium uses at most 7,200
}


def is_preflight(request: Request) -> bool:
    """Return whether the request is a preflight; any other OPTIONS is a method like the rest."""
    return request.method == "OPTIONS" and {"origin", "access-control-request-method"} <= request.headers.keys()


def preflight_answer(methods: str) -> Answer:
    """Return the answer that allows these methods."""
    return {"statusCode": 204, "headers": {**CORS, **_PREFLIGHT, "Access-Control-Allow-Methods": methods}, "body": ""}
