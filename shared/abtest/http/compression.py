"""Compression of responses: gzip where the client accepts it, the response is large enough, and carries no secret."""

from starlette.requests import Request
from starlette.responses import Response

from abtest.kit.content_coding import MIN_BYTES, accepts_gzip, gzipped, is_held, variant_tag

_TEXTS = ("application/json", "text/")


def chosen_coding(request: Request, response: Response) -> str:
    """Return `gzip` when the client accepts it and the response is worth it, otherwise `identity`."""
    is_text = response.headers.get("content-type", "").startswith(_TEXTS)
    if len(response.body) < MIN_BYTES or not is_text or "content-encoding" in response.headers:
        return "identity"
    return "gzip" if accepts_gzip(request.headers.get("accept-encoding", "")) else "identity"


def compressed(request: Request, response: Response) -> Response:
    """Return the response in the coding that the request allows, with the tag of this variant."""
    # Also on small and plain ones: a cache must not serve a variant to a client that does not accept it.
    response.headers["Vary"] = "Accept-Encoding"
    if chosen_coding(request, response) == "identity":
        return response
    response.body = gzipped(bytes(response.body))
    response.headers["Content-Length"] = str(len(response.body))
    response.headers["Content-Encoding"] = "gzip"
    if tag := response.headers.get("ETag"):
        response.headers["ETag"] = variant_tag(tag, "gzip")
    return response


def not_modified(request: Request, response: Response) -> Response | None:
    """Return 304 when If-None-Match has the tag of the response, in any coding."""
    tag, sent = response.headers.get("ETag"), request.headers.get("if-none-match")
    if not tag or not is_held(sent, tag, in_any_coding=True):
        return None
    # A cache updates the stored response that has this very tag (RFC 9111, 4.3.4), so the client gets its own back.
    return Response(status_code=304, headers={"ETag": tag if is_held(sent, tag) else variant_tag(tag, "gzip")})
