"""ECMAScript matching, decided in Python as a browser decides it; nothing here knows URLs or conditions."""

import re
from collections.abc import Callable
from functools import lru_cache

from regress import Regex, RegressError

from abtest.domain.targeting.code_units import NotASourceError, capitals, rewritten, split

LONGEST_SEARCHED = 8192
"""Texts with more code units than this are searched by no customer's expression: its cost cannot be bounded."""

# Escapes and classes are tokens of their own, so that a boundary is seen only where it is one.
_TOKEN = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]?|.", re.DOTALL)
_QUANTIFIER = re.compile(r"[*+?]|\{\d+(?:,\d*)?\}")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def search(source: str, text: str) -> bool:
    """Whether `new RegExp(source).test(text)` holds; what does not compile matches nothing."""
    return expression(source)(text)


@lru_cache(maxsize=4096)
def expression(source: str, ignore_case: bool = False) -> Callable[[str], bool]:
    """`search` for one source, with flag `i` if wished, made ready to be asked often."""
    regex = _compiled(source, ignore_case)
    return _nothing if regex is None else _searcher(regex, ignore_case)


def compiles(source: str) -> bool:
    """Whether `new RegExp(source)` is accepted."""
    return _compiled(source) is not None


@lru_cache(maxsize=4096)
def whole_expression(source: str) -> Callable[[str], bool]:
    """`new RegExp(`^(?:${source})$`, "i").test(text)`, for a source made by `abtest` itself."""
    regex = _regex(f"^(?:{capitals(well_formed(source))})$")
    if regex is None:
        return _nothing
    return lambda text: regex.find(capitals(well_formed(text))) is not None


def well_formed(text: str) -> str:
    """The text with lone surrogates replaced by U+FFFD, as `String.prototype.toWellFormed` does."""
    if text.isascii() or not _LONE_SURROGATE.search(text):
        return text
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _LONE_SURROGATE.sub("\ufffd", paired)


def _nothing(_: str) -> bool:
    return False


def _searcher(regex: Regex, ignore_case: bool) -> Callable[[str], bool]:
    def found(text: str) -> bool:
        seen = split(text)
        if len(seen) > LONGEST_SEARCHED:
            return False
        return regex.find(capitals(seen) if ignore_case else seen) is not None

    return found


@lru_cache(maxsize=4096)
def _compiled(source: str, ignore_case: bool = False) -> Regex | None:
    if _repeats_boundary(source):
        return None  # "nothing to repeat" in every browser, but not in this engine
    try:
        return _regex(rewritten(source, ignore_case))
    except NotASourceError:
        return None


def _regex(source: str) -> Regex | None:
    try:
        return Regex(source)
    except RegressError:
        return None


def _repeats_boundary(source: str) -> bool:
    """Whether a word boundary outside a class has a quantifier."""
    return any(
        token[0] in (r"\b", r"\B") and _QUANTIFIER.match(source, token.end()) for token in _TOKEN.finditer(source)
    )
