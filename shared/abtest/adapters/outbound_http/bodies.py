"""Reading bodies up to a limit, also those that only grow large when they are unpacked."""

import zlib
from http.client import HTTPException, HTTPResponse

from abtest.ports.http_sender import HttpUnreachableError

_PIECE = 16 * 1024
_PLAIN = "identity"
_WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


def read_body(response: HTTPResponse, limit: int) -> tuple[bytes, bool]:
    """At most `limit` bytes of the unpacked body, and whether that is all of it.

    Bodies are asked for as they are; what comes in gzip or deflate all the same is unpacked, what comes in anything
    else raises HttpUnreachableError.
    """
    coding = _coding(response)
    if coding != _PLAIN and coding not in _WINDOWS:
        raise HttpUnreachableError(f"the answer is encoded as {coding!r}, which was not asked for", "protocol")
    body = bytearray()
    is_whole = _fill(body, response, limit)
    return bytes(body), is_whole


def read_remark(response: HTTPResponse, limit: int) -> tuple[bytes, bool]:
    """As `read_body`, beside a status that says it all: what came, whatever may be wrong with it.

    A body that breaks off, is framed or packed wrongly, or encoded in who knows what is only not whole. One that does
    not end in time raises as ever.
    """
    body = bytearray()
    try:
        is_whole = _fill(body, response, limit)
    except HttpUnreachableError as error:
        if error.failure == "timeout":
            raise
        is_whole = False
    except TimeoutError:
        raise
    except (OSError, HTTPException, ValueError):
        is_whole = False
    return bytes(body), is_whole


def _coding(response: HTTPResponse) -> str:
    return (response.getheader("Content-Encoding") or _PLAIN).strip().lower()[:40]


def _fill(body: bytearray, response: HTTPResponse, limit: int) -> bool:
    """Append what comes, piece by piece, so that what came is there when the rest does not; whether that is all."""
    if response.length == 0:  # of a 204 too, whatever framing and coding it names
        return True
    coding = _coding(response)
    if coding in _WINDOWS:
        return _fill_unpacked(body, response, _WINDOWS[coding], limit)
    while piece := response.read1(min(_PIECE, limit + 1 - len(body))):
        body += piece
        if len(body) > limit:
            del body[limit:]
            return False
    if response.length:
        raise HttpUnreachableError("the answer ends before it should", "protocol")
    return coding == _PLAIN


def _fill_unpacked(body: bytearray, response: HTTPResponse, window: int, limit: int) -> bool:
    unpacker = zlib.decompressobj(window)
    try:
        while not unpacker.eof and (piece := response.read1(_PIECE)):
            body += unpacker.decompress(piece, limit + 1 - len(body))
            if len(body) > limit:
                del body[limit:]
                return False
    except zlib.error as error:
        raise HttpUnreachableError("the answer is not encoded as it says", "protocol") from error
    return unpacker.eof
