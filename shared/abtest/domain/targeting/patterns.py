"""ECMAScript matching, decided in Python as a browser decides it; nothing here knows URLs or conditions."""

import re
from collections.abc import Callable
from functools import lru_cache

from regress import Regex, RegressError

from abtest.domain.targeting.code_units import NotASourceError, capitals, rewritten, split

LONGEST_SEARCHED = 8192
"""Code units of the longest text that customers' expressions search; beyond it their cost has no bound."""

# Escapes and classes are tokens of their own, so that a boundary is seen only where it is one.
_TOKEN = re.compile(r"\\.|\[(?:\\.|[^\]\\])*\]?|.", re.DOTALL)
_QUANTIFIER = re.compile(r"[*+?]|\{\d+(?:,\d*)?\}")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def search(source: str, text: str) -> bool:
    """Return `new RegExp(source).test(text)`; a source that does not compile matches nothing."""
    return expression(source)(text)


@lru_cache(maxsize=4096)
def expression(source: str, ignore_case: bool = False) -> Callable[[str], bool]:
    """Return `search` for one source, with flag `i` if `ignore_case`, prepared for many texts."""
    regex = compiled(source, ignore_case)
    if regex is None:
        return never

    def matches(text: str) -> bool:
        units = split(text)
        # The storefront has the same limit, so that both decide alike on a long address.
        if len(units) > LONGEST_SEARCHED:
            return False
        return regex.find(capitals(units) if ignore_case else units) is not None

    return matches


def compiles(source: str) -> bool:
    """Return whether `new RegExp(source)` is accepted."""
    return compiled(source) is not None


@lru_cache(maxsize=4096)
def whole_expression(source: str) -> Callable[[str], bool]:
    """Return `new RegExp(`^(?:${source})$`, "i").test(text)` for a source that `abtest` itself made."""
    try:
        # Both sides in capitals, because the engine's own flag `i` folds case by other rules.
        regex = Regex(f"^(?:{capitals(well_formed(source))})$")
    except RegressError:
        return never
    return lambda text: regex.find(capitals(well_formed(text))) is not None


def well_formed(text: str) -> str:
    """Return the text with lone surrogates replaced by U+FFFD, as `String.prototype.toWellFormed` does."""
    if text.isascii() or not _LONE_SURROGATE.search(text):
        return text
    # The round trip joins pairs that came as two halves; what is left has no other half.
    paired = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    return _LONE_SURROGATE.sub("\ufffd", paired)


def never(_: str) -> bool:
    """Return False: the search of an expression that does not compile."""
    return False


@lru_cache(maxsize=4096)
def compiled(source: str, ignore_case: bool = False) -> Regex | None:
    """Return the compiled source, rewritten for code units; None when browsers do not accept it."""
    # A word boundary with a quantifier is "nothing to repeat" in every browser, but not in this engine.
    for token in _TOKEN.finditer(source):
        if token[0] in (r"\b", r"\B") and _QUANTIFIER.match(source, token.end()):
            return None
    try:
        return Regex(rewritten(source, ignore_case))
    except (NotASourceError, RegressError):
        return None
