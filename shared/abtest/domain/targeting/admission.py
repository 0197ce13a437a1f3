"""Which regular expressions of customers are let in: those that answer in time in every engine that is given them.

Let in is what RE2 can express and what a backtracking engine cannot take long over. Nothing here evaluates one.
"""

from dataclasses import dataclass
from functools import lru_cache

from abtest.domain.targeting.admission_automaton import automaton
from abtest.domain.targeting.admission_cost import TEXT_LENGTH, Cost, cost, exponential_loop
from abtest.domain.targeting.admission_forms import cheaper_form
from abtest.domain.targeting.admission_reading import read
from abtest.domain.targeting.admission_syntax import Node, NotReadableError, both_cases, repeated_nothing
from abtest.domain.targeting.patterns import compiles
from abtest.kit.errors import FieldError, ServiceError

LONGEST_SOURCE = 500
"""As the contract limits patterns."""

MOST_STEPS = 1_000_000
"""Steps of a search in 2,000 code units. The slower of the engines, `regress`, takes at most 5 ns for one."""

MOST_STEPS_AS_WRITTEN = 3e9
"""Before another form is sought: what needs this many is a mistake, and is told so."""


_EXPONENTIAL = (
    "holds another repetition, an option or an alternative of the same characters: "
    "it can match one text in exponentially many ways"
)


class UnsafeRegexError(ServiceError):
    """A regular expression that does not compile, that cannot be checked, or that could stall a shopper's browser."""

    status = 422
    code = "unsafe_regex"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`problem` is None for what is let in; then `served` is what engines are given in its place."""

    problem: str | None
    served: str


def refuse_unsafe(path: str, source: str, *, ignore_case: bool = False) -> None:
    """Raises UnsafeRegexError, which names the path and what is wrong, unless browsers may be given the expression."""
    if problem := problem_of(source, ignore_case=ignore_case):
        message = f"the regular expression is refused: {problem}"
        raise UnsafeRegexError(f"{path}: {message}", fields=[FieldError(path, message)])


def problem_of(source: str, *, ignore_case: bool = False) -> str | None:
    """What in the expression keeps it from being let in, said for people; None when it is let in."""
    return _verdict(source, ignore_case).problem


def served(source: str) -> str:
    """What engines are given for an expression without flags: it holds on the same texts, and they answer in time.

    One that is refused stays as it is.
    """
    return _verdict(source, ignore_case=False).served


@lru_cache(maxsize=1024)
def _verdict(source: str, ignore_case: bool) -> Verdict:
    if len(source) > LONGEST_SOURCE:
        return Verdict(f"it is longer than {LONGEST_SOURCE} characters", source)
    if not compiles(source):
        return Verdict("browsers do not accept it", source)
    try:
        tree = read(source)
        return _judged(source, both_cases(tree) if ignore_case else tree, may_change=not ignore_case)
    except NotReadableError as problem:
        return Verdict(str(problem), source)


def _judged(source: str, tree: Node, *, may_change: bool) -> Verdict:
    machine = automaton(tree)
    if loop := exponential_loop(machine):
        return Verdict(f"the repetition `{loop.source}` {_EXPONENTIAL}", source)
    if nothing := repeated_nothing(tree):
        return Verdict(f"`{nothing.source}` repeats what may be nothing, inside another repetition", source)
    as_written = cost(machine)
    if as_written.steps <= MOST_STEPS:
        return Verdict(None, source)
    if may_change and as_written.steps <= MOST_STEPS_AS_WRITTEN and _has_no_surrogate(source):
        form = cheaper_form(tree)
        if cost(automaton(form.tree)).steps <= MOST_STEPS:
            return Verdict(None, form.source)
    return Verdict(_too_slow(as_written, begins=source.startswith("^")), source)


def _too_slow(found: Cost, *, begins: bool) -> str:
    named = ", ".join(f"`{loop}`" for loop in found.shared[:3])
    what = f"{named} can share text with what stands before" if named else "its repetitions and options overlap"
    advice = "let repetitions leave out what stands before them, as `[^/]*` does"
    if not begins:
        advice = f"begin it with `^`, or {advice}"
    return f"{what}, so that a search of {TEXT_LENGTH} characters can take {found.steps:.0e} steps; {advice}"


def _has_no_surrogate(source: str) -> bool:
    return all(ord(letter) < 0xD800 for letter in source)
