"""Content codings, the entity tags of their variants, and If-None-Match (RFC 9110, 8.8.3, 12.5.3 and 13.1.2)."""

import re
import zlib

MIN_BYTES = 1024
"""Size from which a response is worth compressing."""

MAX_SERVED_BYTES = 4 << 20
"""File that a function can answer with: Lambda allows 6 MB, and base 64 takes four characters for three bytes."""

LEVEL = 6
_GZIP_WINDOW = 16 + zlib.MAX_WBITS
_QVALUE = re.compile(r"0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?")
_ALIASES = {"x-gzip": "gzip"}
_ENTITY_TAG = re.compile(r'(?:W/)?"([^"]*)"')
_CODING = re.compile(r"-(?:gzip|br)$")


def accepted_codings(header: str) -> dict[str, float]:
    """Return the weight of each coding in an Accept-Encoding header; 0 for a malformed weight, 1 without one."""
    weights: dict[str, float] = {}
    for item in header.lower().split(","):
        coding, *parameters = (part.strip() for part in item.split(";"))
        if not coding:
            continue
        pairs = (parameter.partition("=") for parameter in parameters)
        quality = next((value.strip() for name, _, value in pairs if name.strip() == "q"), "1")
        weights[_ALIASES.get(coding, coding)] = float(quality) if _QVALUE.fullmatch(quality) else 0.0
    return weights


def accepts_gzip(header: str) -> bool:
    """Return whether an Accept-Encoding header accepts gzip and does not prefer identity."""
    weights = accepted_codings(header)
    weight = weights.get("gzip", weights.get("*", 0.0))
    return weight > 0 and weight >= weights.get("identity", 0.0)


def gzipped(content: bytes) -> bytes:
    """Return the content in gzip, always with the same bytes."""
    # By zlib, which is built in: the module `gzip` and what it imports would cost edge functions time at their start.
    return zlib.compress(content, LEVEL, wbits=_GZIP_WINDOW)


def variant_tag(tag: str, coding: str) -> str:
    """Return the entity tag of a representation in this coding.

    A weak tag names the version in every coding. Strong tags must differ wherever bytes differ (RFC 9110, 8.8.3.3).
    """
    return tag if coding == "identity" or tag.startswith("W/") else f'{tag[:-1]}-{coding}"'


def opaque_tags(header: str) -> list[str]:
    """Return the tags of an ETag, If-Match or If-None-Match header as a weak comparison uses them.

    The suffix of a coding is removed, so that a tag matches in whichever coding its client has the content.
    """
    return [_CODING.sub("", tag) for tag in _ENTITY_TAG.findall(header)]


def is_tag_list(header: str) -> bool:
    """Return whether a header is a list of one or more entity tags (RFC 9110, 8.8.3)."""
    between, count = _ENTITY_TAG.subn("", header)
    return count > 0 and not between.strip(", \t")


def is_held(if_none_match: str | None, tag: str, *, in_any_coding: bool = False) -> bool:
    """Return whether a client with this If-None-Match has what the tag names: this variant, or one in any coding.

    Tags are compared weakly, as If-None-Match requires (RFC 9110, 13.1.2).
    """
    header = (if_none_match or "").strip()
    tags = opaque_tags if in_any_coding else _ENTITY_TAG.findall
    return header == "*" or tags(tag)[0] in tags(header)
