"""Customers' scripts as functions inside the snippet, safe wherever the snippet may be pasted.

A file of JavaScript is sometimes inlined into HTML, where `</script` ends it and `<!--` changes how the rest is read;
and old engines end lines at U+2028 and U+2029. The three are rewritten without changing what the script does. What
stands around an occurrence (string, template, regular expression, comment, code) decides the rewriting, and no
shortcut short of a parser knows it; so the parser is asked: each candidate is right in the contexts in which it parses,
and an error in all others. Only the raw text of a tagged template, `RegExp.source` and `Function.toString` can tell.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

Parses = Callable[[str], bool]
"""Whether a text parses as the body of a function."""


class Scripts(Protocol):
    """What is known of scripts; the engines that know are elsewhere."""

    def problem(self, source: str) -> str | None:
        """Why a script is none that shoppers' browsers read, or None."""
        ...

    def parses(self, source: str) -> bool:
        """Whether a text parses as the body of a function, quickly."""
        ...

    def is_young(self, source: str) -> bool:
        """Whether a script without problems is an error in browsers that are old enough for all else in the file."""
        ...


_DANGEROUS = re.compile("(?i)<(?=/script)|<!--|[\u2028\u2029]")
_MOST_TRIALS = 400


class UnsafeScriptError(ValueError):
    """The script holds a sequence that cannot be rewritten without changing it; the message names it."""


def as_function(source: str, parses: Parses, parameters: str = "") -> str:
    """A function expression with the script as its body. Raises UnsafeScriptError.

    The script begins a line of its own: `-->` is a comment there, and an error anywhere else, of all that is joined.
    """
    return f"function({parameters}){{\n{made_safe(source, parses)}\n}}"


def made_safe(source: str, parses: Parses) -> str:
    """The script, known to parse, without the three sequences. Raises UnsafeScriptError."""
    places = list(_DANGEROUS.finditer(source))
    if not places:
        return source
    return _Rewriting(source, places, parses).result()


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A rewriting, and a text that parses exactly where the rewriting means the same."""

    text: str
    probe: str


def _plain(*texts: str) -> tuple[_Candidate, ...]:
    return tuple(_Candidate(text, text) for text in texts)


# Strings, templates, regular expressions and comments take an escape; in code the sign is an operator.
_END_TAG = _plain(r"\x3c", "< ")
# The second is for a lookbehind, `(?<!--`; in code the sequence starts a comment up to the end of the line.
_COMMENT_START = _plain(r"\x3c!--", r"<!\x2d-", " //--")
_NEWLINE = _plain("\n")


def _candidates(source: str, place: re.Match[str]) -> tuple[_Candidate, ...]:
    """What may stand instead, in the order to try."""
    found, escaped = place[0], _is_escaped(source, place.start())
    if found == "<":
        return _plain("x3c") if escaped else _END_TAG
    if found == "<!--":
        return _plain("x3c!--") if escaped else _COMMENT_START
    if escaped:  # a continued line
        return _NEWLINE
    # An escape would swallow the line after a comment of one line. The probe ends such a comment and breaks code.
    return (_Candidate(f"\\u{ord(found):x}", f"{found}@@"), *_NEWLINE)


def _is_escaped(source: str, index: int) -> bool:
    start = index
    while start and source[start - 1] == "\\":
        start -= 1
    return (index - start) % 2 == 1


class _Rewriting:
    """Tries a candidate for all undecided places at once, and halves the group when that does not parse.

    An occurrence for which the candidate is wrong is an error wherever the others stand, so a group that parses is
    right for each of its members.
    """

    def __init__(self, source: str, places: Sequence[re.Match[str]], parses: Parses) -> None:
        self._source = source
        self._places = places
        self._candidates = [_candidates(source, place) for place in places]
        self._parses = parses
        self._trials = 0
        self._chosen: dict[int, _Candidate] = {}

    def result(self) -> str:
        undecided = list(range(len(self._places)))
        for attempt in range(max(map(len, self._candidates))):
            undecided = self._settle(undecided, attempt)
        text = self._with({index: chosen.text for index, chosen in self._chosen.items()})
        if undecided or not self._parses(text):
            raise UnsafeScriptError("holds '</script', '<!--', U+2028 or U+2029 where it cannot be rewritten")
        return text

    def _settle(self, group: list[int], attempt: int) -> list[int]:
        """Choose the candidate for as many of the group as it is right for; what remains."""
        offered = {index: self._candidates[index][attempt] for index in group if attempt < len(self._candidates[index])}
        if offered and self._fits(offered):
            self._chosen |= offered
            return [index for index in group if index not in offered]
        if not offered or len(group) == 1:
            return group
        middle = len(group) // 2
        return self._settle(group[:middle], attempt) + self._settle(group[middle:], attempt)

    def _fits(self, offered: dict[int, _Candidate]) -> bool:
        self._trials += 1
        if self._trials > _MOST_TRIALS:
            raise UnsafeScriptError("holds too many '</script', '<!--', U+2028 or U+2029 of different kinds")
        return self._parses(self._with({index: candidate.probe for index, candidate in offered.items()}))

    def _with(self, replacements: dict[int, str]) -> str:
        pieces, end = [], 0
        for index in sorted(replacements):
            place = self._places[index]
            pieces += [self._source[end : place.start()], replacements[index]]
            end = place.end()
        return "".join([*pieces, self._source[end:]])
