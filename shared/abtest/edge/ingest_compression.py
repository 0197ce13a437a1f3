"""Compressed bodies of ingest, unpacked up to the size limit of a plain body."""

import zlib

from abtest.domain.ledger.batch import InvalidBatchError
from abtest.edge.gateway import BodyTooLargeError, Headers, content_encoding

ENCODINGS = ("identity", "gzip")
_GZIP_WINDOW = 16 + zlib.MAX_WBITS


def unpacked(body: bytes, headers: Headers, most: int) -> bytes:
    """Return the decompressed body. Raises BodyTooLargeError, InvalidBatchError.

    Only one gzip member is accepted, because a chain of a million empty ones would cost time without adding bytes.
    """
    if content_encoding(headers) != "gzip":
        return body
    unpacking = zlib.decompressobj(_GZIP_WINDOW)
    try:
        plain = unpacking.decompress(body, most + 1)
    except zlib.error as error:
        raise InvalidBatchError("the body must be gzip, as Content-Encoding declares it") from error
    if len(plain) > most:
        raise BodyTooLargeError(most)
    if not unpacking.eof or unpacking.unused_data:
        raise InvalidBatchError("the body must be one complete gzip member")
    return plain
