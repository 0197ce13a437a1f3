"""Variants of published objects."""

import gzip

import brotli
import pytest

from abtest.domain.delivery.encodings import ENCODERS, brotli_quality

CONTENT = b"{'experiments': []}" * 100


def test_variants__decoded__are_the_content() -> None:
    assert brotli.decompress(ENCODERS["br"](CONTENT)) == CONTENT
    assert gzip.decompress(ENCODERS["gzip"](CONTENT)) == CONTENT
    assert ENCODERS["identity"](CONTENT) == CONTENT


def test_variants__made_twice__are_the_same_bytes() -> None:
    assert all(encode(CONTENT) == encode(CONTENT) for encode in ENCODERS.values())


@pytest.mark.parametrize(("size", "quality"), [(1000, 11), (128 << 10, 11), (129 << 10, 9), (1 << 20, 9), (2 << 20, 5)])
def test_brotli_quality__of_a_size__is_bounded_by_time(size: int, quality: int) -> None:
    assert brotli_quality(size) == quality
