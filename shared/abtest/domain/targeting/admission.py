"""Admission of customers' regular expressions: only those that every engine answers in time.

An admitted expression is one that RE2 can express and that a backtracking engine cannot take long over. Nothing here
evaluates one.
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
"""Characters, the limit that the contract sets for patterns."""

MOST_STEPS = 1_000_000
"""Steps of a search in 2,000 code units. The slower engine, `regress`, takes at most 5 ns for one."""

MOST_STEPS_AS_WRITTEN = 3e9
"""Limit above which no cheaper form is sought, because the author should see that the expression is a mistake."""


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
    """Result for one expression. `problem` is None when it is admitted; `served` is the form that engines are given."""

    problem: str | None
    served: str


def refuse_unsafe(path: str, source: str, *, ignore_case: bool = False) -> None:
    """Raise UnsafeRegexError with the path and the problem unless the expression is safe in browsers."""
    if problem := problem_of(source, ignore_case=ignore_case):
        message = f"the regular expression is refused: {problem}"
        raise UnsafeRegexError(f"{path}: {message}", fields=[FieldError(path, message)])


def problem_of(source: str, *, ignore_case: bool = False) -> str | None:
    """Return the reason for a refusal as a sentence for people; None when the expression is admitted."""
    return verdict(source, ignore_case).problem


def served(source: str) -> str:
    """Return the form of an expression without flags that engines are given; it matches the same texts in time.

    A refused expression is returned unchanged.
    """
    return verdict(source, ignore_case=False).served


@lru_cache(maxsize=1024)
def verdict(source: str, ignore_case: bool) -> Verdict:
    """Judge an expression; `ignore_case` is its flag `i`. Verdicts are cached, because each takes milliseconds."""
    if len(source) > LONGEST_SOURCE:
        return Verdict(f"it is longer than {LONGEST_SOURCE} characters", source)
    # Before the reader, which expects a source that engines compile.
    if not compiles(source):
        return Verdict("browsers do not accept it", source)
    try:
        tree = read(source)
        return judge(source, both_cases(tree) if ignore_case else tree, may_change=not ignore_case)
    except NotReadableError as problem:
        return Verdict(str(problem), source)


def judge(source: str, tree: Node, *, may_change: bool) -> Verdict:
    """Judge an expression by its tree. With `may_change` a cheaper form may replace it.

    Raises NotReadableError for a tree too large to analyse.
    """
    machine = automaton(tree)
    # Before the cost, whose bound holds only where the number of paths is polynomial.
    if loop := exponential_loop(machine):
        return Verdict(f"the repetition `{loop.source}` {_EXPONENTIAL}", source)
    if nothing := repeated_nothing(tree):
        return Verdict(f"`{nothing.source}` repeats a piece that can be empty, inside another repetition", source)
    as_written = cost(machine)
    if as_written.steps <= MOST_STEPS:
        return Verdict(None, source)
    # Other forms are defined for single code units, so not for expressions with surrogates.
    if may_change and as_written.steps <= MOST_STEPS_AS_WRITTEN and all(ord(letter) < 0xD800 for letter in source):
        form = cheaper_form(tree)
        # The form is judged as well: cheaper need not be cheap enough.
        if cost(automaton(form.tree)).steps <= MOST_STEPS:
            return Verdict(None, form.source)
    return Verdict(too_slow(as_written, begins=source.startswith("^")), source)


def too_slow(as_written: Cost, *, begins: bool) -> str:
    """Return the problem of an expensive expression, and how to change it. `begins`: it starts with `^`."""
    named = ", ".join(f"`{loop}`" for loop in as_written.shared[:3])
    cause = f"{named} can share text with the piece before it" if named else "its repetitions and options overlap"
    advice = "exclude from a repetition the character before it, as `[^/]*` does"
    if not begins:
        advice = f"begin it with `^`, or {advice}"
    return f"{cause}, so that a search of {TEXT_LENGTH} characters can take {as_written.steps:.0e} steps; {advice}"
