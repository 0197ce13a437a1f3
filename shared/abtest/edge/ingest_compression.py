"""Compressed bodies of ingest: unpacked to the size that a plain body may have, and not a byte further."""

import zlib

from abtest.domain.ledger.batch import InvalidBatchError
from abtest.edge.gateway import BodyTooLargeError, Headers, content_encoding

ENCODINGS = ("identity", "gzip")
_GZIP_WINDOW = 16 + zlib.MAX_WBITS


def unpacked(body: bytes, headers: Headers, most: int) -> bytes:
    """The body as it was before it was compressed. Raises BodyTooLargeError, InvalidBatchError.

    One gzip member, as every library writes it: a chain of a million empty ones would cost time without bytes.
    """
    if content_encoding(headers) != "gzip":
        return body
    unpacking = zlib.decompressobj(_GZIP_WINDOW)
    try:
        plain = unpacking.decompress(body, most + 1)
    except zlib.error as error:
        raise InvalidBatchError("the body is not what Content-Encoding says, gzip") from error
    if len(plain) > most:
        raise BodyTooLargeError(most)
    if not unpacking.eof or unpacking.unused_data:
        raise InvalidBatchError("the body is not one whole gzip member")
    return plain
