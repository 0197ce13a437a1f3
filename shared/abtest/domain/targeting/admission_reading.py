"""Parser of ECMAScript regular expressions without flags, with the quirks of Annex B; it refuses what RE2 lacks."""

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
    """Return the tree of an expression that engines compile. Raises NotReadableError."""
    # Without the flag `u` engines read code units, so a letter beyond the basic plane is two atoms.
    units = source.encode("utf-16-le", "surrogatepass")
    return Parser("".join(chr(units[at] | units[at + 1] << 8) for at in range(0, len(units), 2))).whole()


class Parser:
    """Recursive descent; each method parses one production of the grammar from the current place on."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0

    def whole(self) -> Node:
        """Parse the whole text. Raises NotReadableError."""
        tree = self.choice()
        if self._at < len(self._text):
            raise NotReadableError("a `)` closes no group")
        return tree

    def peek(self, count: int = 1) -> str:
        """Return the next characters, fewer at the end."""
        return self._text[self._at : self._at + count]

    def take(self, count: int = 1) -> str:
        """Return the next characters and step behind them."""
        taken = self.peek(count)
        self._at += count
        return taken

    def choice(self) -> Node:
        """Parse alternatives (Disjunction)."""
        options = [self.sequence()]
        while self.peek() == "|":
            self.take()
            options.append(self.sequence())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def sequence(self) -> Node:
        """Parse terms up to the end of the alternative."""
        items = []
        while self.peek() not in ("", "|", ")"):
            items.append(self.term())
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def term(self) -> Node:
        """Parse an atom and its quantifier."""
        start = self._at
        atom = self.atom()
        quantifier = _QUANTIFIER.match(self._text, self._at)
        if quantifier is None:
            return atom
        if isinstance(atom, Assertion):
            raise NotReadableError(f"`{atom.kind}{quantifier[0]}` repeats a place, not text")
        self._at = quantifier.end()
        lazy = self.peek() == "?" and bool(self.take())
        least, most = counts(quantifier)
        return Repeat(atom, least, most, self._text[start : self._at], lazy)

    def atom(self) -> Node:
        """Parse a group, a class, an escape, an assertion or one character."""
        letter = self.peek()
        if letter == "(":
            return self.group()
        if letter == "[":
            return self.character_class()
        if letter == "\\":
            return self.escape()
        if letter in ("^", "$"):
            return Assertion("^" if self.take() == "^" else "$")
        # Annex B reads a `{` that begins no count as a letter, so only a whole quantifier is refused.
        if _QUANTIFIER.match(self._text, self._at):
            raise NotReadableError(f"`{letter}` has nothing to repeat")
        self.take()
        return Units(DOT if letter == "." else single(ord(letter)), letter)

    def group(self) -> Node:
        """Parse a group, capturing or not; lookarounds are refused."""
        for opening, name in _LOOKAROUNDS.items():
            if self._text.startswith(opening, self._at):
                raise NotReadableError(f"{name} (`{opening}…)`) cannot be checked; write the text that must match")
        opening_of_group = _GROUP.match(self._text, self._at)
        if opening_of_group is None:
            raise NotReadableError(f"the group `{self.peek(3)}…)` is not known to every browser")
        self._depth += 1
        # The parser and all analyses recurse; this keeps them far from Python's limit.
        if self._depth > DEEPEST:
            raise NotReadableError(f"groups are nested more than {DEEPEST} deep")
        self._at = opening_of_group.end()
        inner = self.choice()
        if self.take() != ")":
            raise NotReadableError("a group is not closed")
        self._depth -= 1
        return inner

    def escape(self) -> Node:
        """Parse a backslash outside a class."""
        start = self._at
        self.take()
        letter = self.peek()
        if letter in ("b", "B"):
            self.take()
            return Assertion("\\b" if letter == "b" else "\\B")
        ranges = self.escaped(in_class=False)
        return Units(ranges, self._text[start : self._at])

    def escaped(self, *, in_class: bool) -> Ranges:
        """Parse the part of an escape behind its backslash."""
        letter = self.peek()
        if letter in CLASS_ESCAPES:
            return CLASS_ESCAPES[self.take()]
        if letter in CONTROL_ESCAPES:
            return single(CONTROL_ESCAPES[self.take()])
        if code := _HEX.match(self._text, self._at):
            self._at = code.end()
            return single(int(code[1] or code[2], 16))
        # In a class `\b` is a backspace, not a boundary.
        if in_class and letter == "b":
            self.take()
            return single(8)
        self.refuse_reference(letter)
        return self.control() if letter == "c" else single(ord(self.take()))

    def refuse_reference(self, letter: str) -> None:
        """Raise NotReadableError for backreferences and octal numbers, which engines read in different ways."""
        if letter == "":
            raise NotReadableError("a backslash at the end escapes nothing")
        if letter == "k" or letter in "123456789":
            raise NotReadableError(f"backreferences (`\\{letter}`) cannot be checked; write the text out")
        if letter == "0" and self.peek(2)[1:].isdigit():
            raise NotReadableError(f"`\\{self.peek(2)}` is an octal number; write `\\x` and two hexadecimal digits")

    def control(self) -> Ranges:
        """Parse a control character, `c` and a letter."""
        letter = self.peek(2)[1:]
        if not (letter.isascii() and letter.isalpha()):
            raise NotReadableError("`\\c` must be followed by a letter")
        self.take(2)
        return single(ord(letter) % 32)

    def character_class(self) -> Node:
        """Parse a class, `[…]` or `[^…]`."""
        start = self._at
        self.take()
        negated = self.peek() == "^" and bool(self.take())
        members: list[tuple[int, int]] = []
        while self.peek() != "]":
            members += self.members()
        self.take()
        ranges = united(members)
        return Units(complement(ranges) if negated else ranges, self._text[start : self._at])

    def members(self) -> Ranges:
        """Parse one member of a class or a range of two."""
        first = self.member()
        if self.peek() != "-" or self.peek(2)[1:] in ("]", ""):
            return first
        self.take()
        last = self.member()
        if not (is_single(first) and is_single(last)):
            return (*first, (0x2D, 0x2D), *last)  # `[\w-z]`: the hyphen is one
        if first[0][0] > last[0][0]:
            raise NotReadableError("a range in a class runs backwards")
        return ((first[0][0], last[0][0]),)

    def member(self) -> Ranges:
        """Parse one character or escape of a class."""
        letter = self.take()
        if letter == "":
            raise NotReadableError("a class (`[…]`) is not closed")
        return self.escaped(in_class=True) if letter == "\\" else single(ord(letter))


def counts(quantifier: re.Match[str]) -> tuple[int, int | None]:
    """Return the least and the most times of a quantifier. Raises NotReadableError at more than MOST_TIMES."""
    if quantifier[1]:
        return _COUNTS[quantifier[1]]
    digits = (quantifier[2], quantifier[4] or quantifier[2])
    if any(len(number) > 9 or int(number) > MOST_TIMES for number in digits):
        raise NotReadableError(f"`{quantifier[0]}` repeats more than {MOST_TIMES} times")
    most = int(quantifier[4]) if quantifier[4] else None if quantifier[3] else int(quantifier[2])
    return int(quantifier[2]), most


def single(unit: int) -> Ranges:
    """Return the set of one code unit."""
    return ((unit, unit),)


def is_single(ranges: Ranges) -> bool:
    """Return whether the set has exactly one code unit."""
    return len(ranges) == 1 and ranges[0][0] == ranges[0][1]
