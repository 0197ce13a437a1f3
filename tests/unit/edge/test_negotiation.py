"""Content negotiation and conditional requests."""

import pytest

from abtest.edge.negotiation import chosen_encoding, etag


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (None, "identity"),
        ("", "identity"),
        ("gzip, deflate, br, zstd", "br"),
        ("gzip, deflate", "gzip"),
        ("x-gzip", "gzip"),
        ("BR", "br"),
        ("br;q=0, gzip", "gzip"),
        ("br;q=0.1, gzip;q=0.9", "gzip"),
        ("br;q=0.5,gzip;q=0.5", "br"),
        ("br;q=0.000, gzip;q=0", "identity"),
        ("*", "br"),
        ("*;q=0", "identity"),
        ("br;q=0, *", "gzip"),
        ("identity", "identity"),
        ("zstd", "identity"),
        ("br;q=nonsense", "identity"),
        ("br ; q=1 ; other=2", "br"),
        (",,;;,=", "identity"),
        ("br;q=nan, gzip", "gzip"),
    ],
)
def test_chosen_encoding__of_a_header__is_the_best_it_allows(header: str | None, expected: str) -> None:
    assert chosen_encoding(header) == expected


def test_etag__differs_between_variants() -> None:
    assert [etag("ab", encoding) for encoding in ("identity", "gzip", "br")] == ['"ab"', '"ab-gzip"', '"ab-br"']
