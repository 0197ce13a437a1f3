"""Customers' scripts as functions in the snippet, safe wherever the snippet may be pasted.

JavaScript is sometimes inlined into HTML, where `</script` ends it and `<!--` changes how the rest is read;
old engines end lines at U+2028 and U+2029. All of them are rewritten without changing what the script does. The
context of an occurrence (string, template, regular expression, comment, code) decides the rewriting, and nothing
short of a parser knows the context. Each candidate is right in the contexts in which it parses, and an error in all
others. Only the raw text of a tagged template, `RegExp.source` and `Function.toString` reveal the difference.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

Parses = Callable[[str], bool]
"""Return whether a text parses as the body of a function."""


class Scripts(Protocol):
    """Facts about scripts, as JavaScript engines outside of the domain find them."""

    def problem(self, source: str) -> str | None:
        """Return why shoppers' browsers cannot run a script; None if they can."""
        ...

    def parses(self, source: str) -> bool:
        """Return whether a text parses as the body of a function; fast, as it is called for each rewriting."""
        ...

    def is_young(self, source: str) -> bool:
        """Return whether a script without problems is an error in the oldest browsers that can run the SDK."""
        ...


_DANGEROUS = re.compile("(?i)<(?=/script)|<!--|[\u2028\u2029]")
# Each trial parses the whole script, so hostile ones could take minutes.
_MOST_TRIALS = 400


class UnsafeScriptError(ValueError):
    """The script holds a sequence that cannot be rewritten without changing it; the message names it."""


def as_function(source: str, parses: Parses, parameters: str = "") -> str:
    """Return a function expression with the script as its body. Raises UnsafeScriptError.

    The script begins on a line of its own: `-->` is a comment there, and anywhere else an error of the whole file.
    """
    return f"function({parameters}){{\n{made_safe(source, parses)}\n}}"


def made_safe(source: str, parses: Parses) -> str:
    """Return the script, known to parse, without the dangerous sequences. Raises UnsafeScriptError."""
    places = list(_DANGEROUS.finditer(source))
    if not places:
        return source
    return _Rewriting(source, places, parses).result()


@dataclass(frozen=True, slots=True)
class _Candidate:
    """A rewriting, and a text that parses exactly where the rewriting means the same."""

    text: str
    probe: str


def _candidates_of(*texts: str) -> tuple[_Candidate, ...]:
    return tuple(_Candidate(text, text) for text in texts)


# Strings, templates, regular expressions and comments take an escape; in code the sign is an operator.
_END_TAG = _candidates_of(r"\x3c", "< ")
# The second is for a lookbehind, `(?<!--`; in code the sequence starts a comment up to the end of the line.
_COMMENT_START = _candidates_of(r"\x3c!--", r"<!\x2d-", " //--")
_NEWLINE = _candidates_of("\n")


def _candidates(source: str, place: re.Match[str]) -> tuple[_Candidate, ...]:
    """Candidates for a place, in the order to try."""
    dangerous, before = place[0], source[: place.start()]
    # An odd number of backslashes before the place escapes it.
    is_escaped = (len(before) - len(before.rstrip("\\"))) % 2 == 1
    if dangerous == "<":
        return _candidates_of("x3c") if is_escaped else _END_TAG
    if dangerous == "<!--":
        return _candidates_of("x3c!--") if is_escaped else _COMMENT_START
    if is_escaped:  # a continued line
        return _NEWLINE
    # An escape would swallow the line after a comment of one line. The probe ends such a comment and breaks code.
    return (_Candidate(f"\\u{ord(dangerous):x}", f"{dangerous}@@"), *_NEWLINE)


class _Rewriting:
    """Tries a candidate for all undecided places at once, and halves the group when that does not parse.

    An occurrence for which the candidate is wrong is an error whatever the others are, so a group that parses is
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
        """Return the rewritten script. Raises UnsafeScriptError."""
        undecided = list(range(len(self._places)))
        for attempt in range(max(map(len, self._candidates))):
            undecided = self._settle(undecided, attempt)
        text = self._with({index: chosen.text for index, chosen in self._chosen.items()})
        # Groups were tried with probes, and with the original text in other places: the result itself is parsed once.
        if undecided or not self._parses(text):
            raise UnsafeScriptError("holds '</script', '<!--', U+2028 or U+2029 where it cannot be rewritten")
        return text

    def _settle(self, group: list[int], attempt: int) -> list[int]:
        """Choose a candidate for each place of the group that it is right for, and return the other places."""
        offered = {index: self._candidates[index][attempt] for index in group if attempt < len(self._candidates[index])}
        if not offered:
            return group
        self._trials += 1
        if self._trials > _MOST_TRIALS:
            raise UnsafeScriptError("holds too many '</script', '<!--', U+2028 or U+2029 of different kinds")
        if self._parses(self._with({index: candidate.probe for index, candidate in offered.items()})):
            self._chosen |= offered
            return [index for index in group if index not in offered]
        if len(group) == 1:
            return group
        middle = len(group) // 2
        return self._settle(group[:middle], attempt) + self._settle(group[middle:], attempt)

    def _with(self, replacements: dict[int, str]) -> str:
        pieces, end = [], 0
        for index in sorted(replacements):
            place = self._places[index]
            pieces += [self._source[end : place.start()], replacements[index]]
            end = place.end()
        return "".join([*pieces, self._source[end:]])
