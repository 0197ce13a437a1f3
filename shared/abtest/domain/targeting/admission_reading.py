"""Reads an ECMAScript regular expression without flags, the quirks of Annex B included; refuses what RE2 lacks."""

import re

from abtest.domain.targeting.admission_syntax import (
    CLASS_ESCAPES,
    CONTROL_ESCAPES,
    DOT,
    Assertion,
    Choice,
    Node,
    NotReadableError,
    Ranges,
    Repeat,
    Sequence,
    Units,
    complement,
    united,
)

DEEPEST = 30
"""Groups inside groups."""

MOST_TIMES = 1000
"""The largest count of a repetition that RE2 knows."""

_QUANTIFIER = re.compile(r"([*+?])|\{(\d+)(?:(,)(\d*))?\}")
_GROUP = re.compile(r"\((?:\?(:|<(?![=!])[^>]*>)|(?!\?))")
_HEX = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})")
_LOOKAROUNDS = {"(?=": "lookahead", "(?!": "lookahead", "(?<=": "lookbehind", "(?<!": "lookbehind"}
_COUNTS = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def read(source: str) -> Node:
    """The tree of an expression that engines compile. Raises NotReadableError."""
    units = source.encode("utf-16-le", "surrogatepass")
    return _Reader("".join(chr(units[at] | units[at + 1] << 8) for at in range(0, len(units), 2))).whole()


class _Reader:
    """One reading; each method reads one form from the present place on."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def whole(self) -> Node:
        tree = self._choice()
        if self._at < len(self._text):
            raise NotReadableError("a `)` closes no group")
        return tree

    def _next(self, count: int = 1) -> str:
        return self._text[self._at : self._at + count]

    def _take(self, count: int = 1) -> str:
        taken = self._next(count)
        self._at += count
        return taken

    def _choice(self) -> Node:
        options = [self._sequence()]
        while self._next() == "|":
            self._take()
            options.append(self._sequence())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def _sequence(self) -> Node:
        items = []
        while self._next() not in ("", "|", ")"):
            items.append(self._term())
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def _term(self) -> Node:
        start = self._at
        atom = self._atom()
        found = _QUANTIFIER.match(self._text, self._at)
        if found is None:
            return atom
        if isinstance(atom, Assertion):
            raise NotReadableError(f"`{atom.kind}{found[0]}` repeats a place, not text")
        self._at = found.end()
        lazy = self._next() == "?" and bool(self._take())
        least, most = _counts(found)
        return Repeat(atom, least, most, self._text[start : self._at], lazy)

    def _atom(self) -> Node:
        letter = self._next()
        if letter == "(":
            return self._group()
        if letter == "[":
            return self._class()
        if letter == "\\":
            return self._escape()
        if letter in ("^", "$"):
            return Assertion("^" if self._take() == "^" else "$")
        if _QUANTIFIER.match(self._text, self._at):
            raise NotReadableError(f"`{letter}` has nothing to repeat")
        self._take()
        return Units(DOT, ".") if letter == "." else _one(letter, letter)

    def _group(self) -> Node:
        for opening, name in _LOOKAROUNDS.items():
            if self._text.startswith(opening, self._at):
                raise NotReadableError(f"{name} (`{opening}…)`) cannot be checked; write what is to match")
        found = _GROUP.match(self._text, self._at)
        if found is None:
            raise NotReadableError(f"the group `{self._next(3)}…)` is not known to every browser")
        self._depth += 1
        if self._depth > DEEPEST:
            raise NotReadableError(f"groups stand more than {DEEPEST} deep in each other")
        self._at = found.end()
        inner = self._choice()
        if self._take() != ")":
            raise NotReadableError("a group is not closed")
        self._depth -= 1
        return inner

    def _escape(self) -> Node:
        start = self._at
        self._take()
        letter = self._next()
        if letter in ("b", "B"):
            self._take()
            return Assertion("\\b" if letter == "b" else "\\B")
        ranges = self._escaped(in_class=False)
        return Units(ranges, self._text[start : self._at])

    def _escaped(self, *, in_class: bool) -> Ranges:
        """What stands after a backslash, which is read already."""
        letter = self._next()
        if letter in CLASS_ESCAPES:
            return CLASS_ESCAPES[self._take()]
        if letter in CONTROL_ESCAPES:
            return _single(CONTROL_ESCAPES[self._take()])
        if found := _HEX.match(self._text, self._at):
            self._at = found.end()
            return _single(int(found[1] or found[2], 16))
        if in_class and letter == "b":
            self._take()
            return _single(8)
        self._refuse_number_or_name(letter)
        return self._control() if letter == "c" else _single(ord(self._take()))

    def _refuse_number_or_name(self, letter: str) -> None:
        if letter == "":
            raise NotReadableError("a backslash stands at the end")
        if letter == "k" or letter in "123456789":
            raise NotReadableError(f"backreferences (`\\{letter}`) cannot be checked; write the text out")
        if letter == "0" and self._next(2)[1:].isdigit():
            raise NotReadableError(f"`\\{self._next(2)}` is an octal number; write `\\x` and two hexadecimal digits")

    def _control(self) -> Ranges:
        letter = self._next(2)[1:]
        if not (letter.isascii() and letter.isalpha()):
            raise NotReadableError("`\\c` stands without a letter")
        self._take(2)
        return _single(ord(letter) % 32)

    def _class(self) -> Node:
        start = self._at
        self._take()
        negated = self._next() == "^" and bool(self._take())
        members: list[tuple[int, int]] = []
        while self._next() != "]":
            members += self._members()
        self._take()
        ranges = united(members)
        return Units(complement(ranges) if negated else ranges, self._text[start : self._at])

    def _members(self) -> Ranges:
        first = self._member()
        if self._next() != "-" or self._next(2)[1:] in ("]", ""):
            return first
        self._take()
        last = self._member()
        if not (_is_single(first) and _is_single(last)):
            return (*first, (0x2D, 0x2D), *last)  # `[\w-z]`: the hyphen is one
        if first[0][0] > last[0][0]:
            raise NotReadableError("a range in a class runs backwards")
        return ((first[0][0], last[0][0]),)

    def _member(self) -> Ranges:
        letter = self._take()
        if letter == "":
            raise NotReadableError("a class (`[…]`) is not closed")
        return self._escaped(in_class=True) if letter == "\\" else _single(ord(letter))


def _counts(found: re.Match[str]) -> tuple[int, int | None]:
    if found[1]:
        return _COUNTS[found[1]]
    digits = (found[2], found[4] or found[2])
    if any(len(number) > 9 or int(number) > MOST_TIMES for number in digits):
        raise NotReadableError(f"`{found[0]}` repeats more than {MOST_TIMES} times")
    most = int(found[4]) if found[4] else None if found[3] else int(found[2])
    return int(found[2]), most


def _one(letter: str, source: str) -> Units:
    return Units(_single(ord(letter)), source)


def _single(unit: int) -> Ranges:
    return ((unit, unit),)


def _is_single(ranges: Ranges) -> bool:
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]
