"""Which regular expressions of customers are let in: those that cannot stall a shopper's browser."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from abtest.domain.targeting.patterns import compiles
from abtest.kit.errors import FieldError, ServiceError

_MANY = 5
"""Times from which on a bounded repetition counts as one."""

_MOST_OPTIONS = 15
"""Quantifiers that one expression may have: with options alone, as in `a?a?a?`, each one doubles the ways."""

_PIECE = re.compile(
    r"(\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[=!]|<\w{1,50}>))?|[^*+?{]|\{)([*+?]|\{\d{1,9}(?:,\d{0,9})?\})?\??",
    re.DOTALL,
)
_LETTER = re.compile(r"[^.\[(\\^$)]")


class UnsafeRegexError(ServiceError):
    """A regular expression that does not compile, or that could stall a shopper's browser."""

    status = 422
    code = "unsafe_regex"


def refuse_unsafe(path: str, source: str) -> None:
    """Raises UnsafeRegexError, which names the path and what is wrong, unless browsers may be given the expression."""
    if problem := problem_of(source):
        message = f"the regular expression is refused: {problem}"
        raise UnsafeRegexError(f"{path}: {message}", fields=[FieldError(path, message)])


def problem_of(source: str) -> str | None:
    """What in the expression keeps it from being let in, said for people; None when it is let in."""
    if not compiles(source):
        return "browsers do not accept it"
    if can_explode(source):
        return "it can match in exponentially many ways, which could stall a shopper's browser"
    return None


def can_explode(source: str) -> bool:
    """Whether a browser could try exponentially many ways to match the expression.

    That is so when a repeated group can match one text in two ways: it holds a repetition, an option, or alternatives
    that are not told apart by their first letter, as in `(a+)+`, `(a?a)*`, `(a|aa)+`; or when options abound. Stricter
    than need be: `(/[a-z]+)*` is refused, too, though its slashes keep it harmless.
    """
    groups = [_Group()]
    options = 0
    for piece, quantifier in _pieces(source):
        options += bool(quantifier)
        if piece == ")" and len(groups) > 1:
            inner = groups.pop()
            if inner.is_ambiguous and _repeats(quantifier):
                return True
            groups[-1].varies |= inner.is_ambiguous or bool(quantifier)
        elif piece == "|":
            groups[-1].begin_alternative()
        else:
            groups[-1].meet(piece, quantifier)
            if piece[0] == "(":
                groups.append(_Group())
    return options > _MOST_OPTIONS


@dataclass(slots=True)
class _Group:
    """What is known of a group: whether it can match in different lengths, and how its alternatives begin."""

    varies: bool = False
    starts: bool = True
    firsts: list[str] = field(default_factory=list)

    def meet(self, piece: str, quantifier: str) -> None:
        """Note one more piece of the present alternative."""
        if self.starts:
            self.firsts.append(piece)
            self.starts = False
        self.varies |= bool(quantifier) and piece[0] != "("

    def begin_alternative(self) -> None:
        """Note a bar; what stands before it may be nothing."""
        self.varies |= self.starts
        self.starts = True

    @property
    def is_ambiguous(self) -> bool:
        """Whether one text can perhaps be matched in two ways."""
        if self.varies or self.starts:
            return True
        letters = {first.lower() for first in self.firsts if _LETTER.fullmatch(first)}
        return len(self.firsts) > 1 and len(letters) < len(self.firsts)


def _pieces(source: str) -> Iterator[tuple[str, str]]:
    """Brackets, bars and atoms, each with the quantifier that follows it, or an empty text."""
    return ((found[1], found[2] or "") for found in _PIECE.finditer(source))


def _repeats(quantifier: str) -> bool:
    if quantifier in ("", "?"):
        return False
    if quantifier in ("*", "+"):
        return True
    most = quantifier.strip("{}").split(",")[-1]
    return most == "" or len(most) > 3 or int(most) >= _MANY
