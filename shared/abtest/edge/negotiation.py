"""Content negotiation and conditional requests (RFC 9110, sections 12.5.3 and 13.1.2)."""

import re

from abtest.domain.delivery.manifest import Encoding

_PREFERRED: tuple[Encoding, ...] = ("br", "gzip")
_QVALUE = re.compile(r"0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?")
_ALIASES = {"x-gzip": "gzip"}


def chosen_encoding(accept_encoding: str | None) -> Encoding:
    """Return the best encoding that the header allows; of two with the same weight the smaller one.

    Plain bytes when it allows none, even if it refuses those too, because a storefront needs some answer.
    """
    weights = weights_of(accept_encoding or "")
    others = weights.get("*", 0.0)
    # `max` returns the first of equal ones, so the order of _PREFERRED decides.
    best = max(_PREFERRED, key=lambda encoding: weights.get(encoding, others))
    return best if weights.get(best, others) > 0 else "identity"


def etag(sha256_hex: str, encoding: Encoding) -> str:
    """Return the strong tag of a variant."""
    # Variants have different bytes, so their strong tags must differ too (RFC 9110, 8.8.3.3).
    return f'"{sha256_hex}"' if encoding == "identity" else f'"{sha256_hex}-{encoding}"'


def is_unchanged(if_none_match: str | None, tag: str) -> bool:
    """Return whether the client has the tagged variant; tags are compared weakly, as If-None-Match requires."""
    if if_none_match is None:
        return False
    held = {candidate.strip().removeprefix("W/") for candidate in if_none_match.split(",")}
    return "*" in held or tag in held


def weights_of(header: str) -> dict[str, float]:
    """Return the weight of each encoding in an Accept-Encoding header; 0 for a malformed weight, 1 without one."""
    weights: dict[str, float] = {}
    for item in header.lower().split(","):
        coding, *parameters = (part.strip() for part in item.split(";"))
        if not coding:
            continue
        pairs = (parameter.partition("=") for parameter in parameters)
        quality = next((value.strip() for name, _, value in pairs if name.strip() == "q"), "1")
        weights[_ALIASES.get(coding, coding)] = float(quality) if _QVALUE.fullmatch(quality) else 0.0
    return weights
