"""Prices as a shop's visitors write them, without a library of locales, whose spelling changes with updates."""

from abtest.kit.money import exponent, to_minor

_SYMBOLS = {"EUR": "€", "USD": "$", "GBP": "£", "JPY": "¥", "INR": "₹", "KRW": "₩", "PLN": "zł", "ILS": "₪"}
_POINT = frozenset({"en", "ja", "zh", "ko", "th", "he", "hi", "ms"})
"""Languages with a decimal point and a comma between thousands; others have a comma, and a point or a space."""
_SPACED = frozenset({"fr", "pl", "cs", "sk", "sv", "nb", "no", "fi", "ru", "uk", "bg", "hu", "et", "lv", "lt"})
_NO_BREAK = "\u00a0"


def price(amount: int | float, currency: str, lang: str) -> str:
    """Return an amount of major units with its currency, such as €1,299.50 or 1.299,50 €."""
    primary = lang.partition("-")[0].lower()
    digits = exponent(currency)
    whole, fraction = divmod(to_minor(amount, currency), 10**digits)
    thousands, decimal = (",", ".") if primary in _POINT else (_NO_BREAK if primary in _SPACED else ".", ",")
    number = f"{whole:,}".replace(",", thousands) + (f"{decimal}{fraction:0{digits}}" if digits else "")
    symbol = _SYMBOLS.get(currency, currency)
    if primary in _POINT:
        return f"{symbol}{number}" if len(symbol) == 1 else f"{symbol}{_NO_BREAK}{number}"
    return f"{symbol}{_NO_BREAK}{number}" if primary == "nl" else f"{number}{_NO_BREAK}{symbol}"
