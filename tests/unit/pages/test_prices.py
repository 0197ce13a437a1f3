"""Prices in the spelling of the page's language."""

import pytest

from abtest.domain.pages.prices import price


@pytest.mark.parametrize(
    ("amount", "currency", "lang", "written"),
    [
        (189, "EUR", "en", "€189.00"),
        (1299.5, "USD", "en-US", "$1,299.50"),
        (1299.5, "EUR", "de", "1.299,50\u00a0€"),
        (1299.5, "EUR", "fr-CA", "1\u00a0299,50\u00a0€"),
        (49.9, "EUR", "nl", "€\u00a049,90"),
        (1200, "JPY", "ja", "¥1,200"),
        (1.2345, "KWD", "en", "KWD\u00a01.234"),
        (99.99, "CHF", "de-CH", "99,99\u00a0CHF"),
        (0, "GBP", "en-GB", "£0.00"),
    ],
)
def test_price__is_written_as_in_the_language(amount: float, currency: str, lang: str, written: str) -> None:
    assert price(amount, currency, lang) == written
