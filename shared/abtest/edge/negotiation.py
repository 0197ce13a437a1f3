"""Which variant of an object a client takes, and whether it has it already (RFC 9110, sections 12.5.3 and 13.1.2)."""

import re
from collections.abc import Iterator

from abtest.domain.delivery.manifest import Encoding

_PREFERRED: tuple[Encoding, ...] = ("br", "gzip")
_QVALUE = re.compile(r"0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?")
_ALIASES = {"x-gzip": "gzip"}


def chosen_encoding(accept_encoding: str | None) -> Encoding:
    """The best of ours that the header allows: the smaller one where the client likes both alike.

    Plain bytes when it allows none of them, even if it refuses those too: a storefront is better served than right.
    """
    weights = dict(_weights(accept_encoding or ""))
    others = weights.get("*", 0.0)
    best = max(_PREFERRED, key=lambda encoding: weights.get(encoding, others))
    return best if weights.get(best, others) > 0 else "identity"


def etag(sha256_hex: str, encoding: Encoding) -> str:
    """The strong tag of a variant."""
    return f'"{sha256_hex}"' if encoding == "identity" else f'"{sha256_hex}-{encoding}"'


def is_unchanged(if_none_match: str | None, tag: str) -> bool:
    """Whether the client holds what the tag names; compared weakly, as If-None-Match is."""
    if if_none_match is None:
        return False
    held = {candidate.strip().removeprefix("W/") for candidate in if_none_match.split(",")}
    return "*" in held or tag in held


def _weights(header: str) -> Iterator[tuple[str, float]]:
    for item in header.lower().split(","):
        coding, *parameters = (part.strip() for part in item.split(";"))
        if coding:
            yield _ALIASES.get(coding, coding), _quality(parameters)


def _quality(parameters: list[str]) -> float:
    for parameter in parameters:
        name, _, value = parameter.partition("=")
        if name.strip() == "q":
            return _number(value.strip())
    return 1.0


def _number(text: str) -> float:
    return float(text) if _QVALUE.fullmatch(text) else 0.0
