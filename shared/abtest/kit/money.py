"""Money as integers in the minor unit of a currency, never as floats."""

from decimal import ROUND_HALF_EVEN, Decimal

# ISO 4217: currencies whose minor unit is not a hundredth of the major unit.
_EXPONENTS = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}
_EXPONENT = {code: exponent for exponent, codes in _EXPONENTS.items() for code in codes.split()}
_TWO = """
AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CNY COP CRC CUP
CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD HNL HTG HUF IDR ILS INR IRR JMD KES KGS KHR
KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN
PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD
TZS UAH USD UYU UZS VED VES WST XCD YER ZAR ZMW ZWG
"""
CURRENCIES = frozenset(_TWO.split()) | frozenset(_EXPONENT)
"""ISO 4217 codes of the currencies that are accepted."""

MAX_MINOR = 10**15
"""Largest amount that is accepted. A larger one is taken for an error of the sender."""


def exponent(currency: str) -> int:
    """Return the number of decimal digits of the minor unit. Raises KeyError for an unknown code."""
    if currency not in CURRENCIES:
        raise KeyError(currency)
    return _EXPONENT.get(currency, 2)


def to_minor(amount: str | int | float, currency: str) -> int:
    """Return an amount of major units as an integer of minor units, rounded half to even.

    Raises ValueError when the amount is not a finite number or exceeds MAX_MINOR, KeyError for an unknown currency.
    """
    digits = exponent(currency)
    try:
        # From the text, because a float's exact value has its binary error: 1.015 would be 1.01499… and round down.
        scaled = Decimal(str(amount)).scaleb(digits)
        minor = int(scaled.quantize(Decimal(1), ROUND_HALF_EVEN))
    except (ArithmeticError, ValueError) as error:
        raise ValueError(f"{str(amount)[:40]!r} is not an amount") from error
    if abs(minor) > MAX_MINOR:
        raise ValueError("the amount is too large")
    return minor


def to_major(minor: int, currency: str) -> float:
    """Return minor units as a number of major units, for display and JSON."""
    return float(minor / 10 ** exponent(currency))
