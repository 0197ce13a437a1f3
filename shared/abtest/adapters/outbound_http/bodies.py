"""Reading bodies up to a limit, also those that only grow large when they are unpacked."""

import zlib
from http.client import HTTPResponse

from abtest.ports.http_sender import HttpUnreachableError

_PIECE = 64 * 1024
_WINDOWS = {"gzip": 16 + zlib.MAX_WBITS, "x-gzip": 16 + zlib.MAX_WBITS, "deflate": zlib.MAX_WBITS}


def read_body(response: HTTPResponse, limit: int) -> tuple[bytes, bool]:
    """At most `limit` bytes of the unpacked body, and whether that is all of it.

    We ask for bodies as they are; what comes in gzip or deflate all the same is unpacked, what comes in anything else
    raises HttpUnreachableError.
    """
    coding = (response.getheader("Content-Encoding") or "identity").strip().lower()
    if coding == "identity":
        body = response.read(limit + 1)
        if len(body) <= limit and response.length:
            raise HttpUnreachableError("the answer ends before it should", "protocol")
        return body[:limit], len(body) <= limit
    if coding not in _WINDOWS:
        raise HttpUnreachableError(f"the answer is encoded as {coding[:40]!r}, which was not asked for", "protocol")
    return _unpacked(response, _WINDOWS[coding], limit)


def _unpacked(response: HTTPResponse, window: int, limit: int) -> tuple[bytes, bool]:
    unpacker = zlib.decompressobj(window)
    body = bytearray()
    try:
        while not unpacker.eof and (piece := response.read(_PIECE)):
            body += unpacker.decompress(piece, limit + 1 - len(body))
            if len(body) > limit:
                return bytes(body[:limit]), False
    except zlib.error as error:
        raise HttpUnreachableError("the answer is not encoded as it says", "protocol") from error
    return bytes(body), unpacker.eof
