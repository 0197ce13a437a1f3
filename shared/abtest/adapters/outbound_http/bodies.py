"""Response bodies, read up to a limit that also holds for decompressed content."""

import zlib
from http.client import HTTPException, HTTPResponse

from abtest.ports.http_sender import HttpUnreachableError

_PIECE = 16 * 1024
_PLAIN = "identity"
# For zlib, 16 more window bits mean the gzip format. `deflate` is the zlib format (RFC 9110, 8.4.1.2).
_WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


def read_body(response: HTTPResponse, limit: int) -> tuple[bytes, bool]:
    """Return at most `limit` bytes of the decoded body, and whether that is all of it.

    Requests do not offer any content coding. Gzip and deflate are decoded anyway; any other coding, and an incomplete
    or malformed body, raises HttpUnreachableError.
    """
    coding = _coding(response)
    if coding != _PLAIN and coding not in _WINDOWS:
        raise HttpUnreachableError(
            f"the response has the content coding {coding!r}, which was not requested", "protocol"
        )
    body = bytearray()
    is_whole = _fill(body, response, limit)
    return bytes(body), is_whole


def read_remark(response: HTTPResponse, limit: int) -> tuple[bytes, bool]:
    """Return the body as `read_body` does, but treat any error in it as an incomplete body.

    For responses whose status is enough. Only a passed deadline raises, as in `read_body`.
    """
    body = bytearray()
    try:
        is_whole = _fill(body, response, limit)
    except HttpUnreachableError as error:
        if error.failure == "timeout":
            raise
        is_whole = False
    # TimeoutError is an OSError, so it must be caught before those.
    except TimeoutError:
        raise
    except (OSError, HTTPException, ValueError):
        is_whole = False
    return bytes(body), is_whole


def _coding(response: HTTPResponse) -> str:
    return (response.getheader("Content-Encoding") or _PLAIN).strip().lower()[:40]


def _fill(body: bytearray, response: HTTPResponse, limit: int) -> bool:
    """Append the body piece by piece, so that what was received survives an error. Return whether it is complete."""
    if response.length == 0:  # also for a 204, whatever its headers declare
        return True
    coding = _coding(response)
    if coding in _WINDOWS:
        return _fill_unpacked(body, response, _WINDOWS[coding], limit)
    # One byte more than the limit is enough to know that the body is longer.
    while piece := response.read1(min(_PIECE, limit + 1 - len(body))):
        body += piece
        if len(body) > limit:
            del body[limit:]
            return False
    # At an early end `read1` returns nothing; unlike `read`, it does not raise IncompleteRead.
    if response.length:
        raise HttpUnreachableError("the response body is shorter than declared", "protocol")
    # Only `read_remark` comes here with an unknown coding: these bytes are not the content.
    return coding == _PLAIN


def _fill_unpacked(body: bytearray, response: HTTPResponse, window: int, limit: int) -> bool:
    unpacker = zlib.decompressobj(window)
    try:
        while not unpacker.eof and (piece := response.read1(_PIECE)):
            # The output has a bound as well, because a few kilobytes may expand to gigabytes.
            body += unpacker.decompress(piece, limit + 1 - len(body))
            if len(body) > limit:
                del body[limit:]
                return False
    except zlib.error as error:
        raise HttpUnreachableError("the response body does not have the declared content coding", "protocol") from error
    return unpacker.eof
