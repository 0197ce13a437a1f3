"""The golden vectors: every written case, and drawn questions of every kind, as far as both implementations agree."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

from tools.golden.answers import Answers, answers_to
from tools.golden.compare import QUESTIONS
from tools.golden.written import decisions, delivery, signals, targeting
from tools.golden.written.case import Case, picture

SEED = 3
DRAWN = {"condition": 700, "decide": 80, "url": 600, "hash": 300, "signal": 120}
MODES = tuple(DRAWN)
"""Explanations have no file: they are compared on the vectors of decisions."""

_OF_A_CONFIG = 20
"""Drawn decisions come in runs about one config; one of each run is kept, or the file would be configs only."""

_LARGEST_SIGNAL = 900
"""Characters of a drawn payload with its trigger that is kept: the files stay small."""


@dataclass(frozen=True, slots=True)
class Vector:
    """A question, what it is about, and what both answer."""

    about: str
    answers: Answers

    def line(self) -> str:
        """Render as a line of the conformance tool, with the answer next to it."""
        line = {"id": self.about, "inputs": self.answers.question, "expected": self.answers.python["result"]}
        return json.dumps(line, sort_keys=True, separators=(",", ":"))


def written() -> Iterator[tuple[str, Case]]:
    """Every written case with its name."""
    for source in (targeting, decisions, delivery, signals):
        for chapter, cases in source.CASES.items():
            yield from ((f"{chapter}: {case.about}", case) for case in cases)


def vectors(mode: str) -> list[Vector]:
    """The vectors of a mode. Raises DisagreementError for a case that not all who must agree on do."""
    named = [(about, case) for about, case in written() if case.mode == mode]
    checked = [
        _checked(mode, about, each, case.expected)
        for (about, case), each in zip(named, answers_to(mode, [case.inputs for _, case in named]), strict=True)
    ]
    return [
        *checked,
        *(_checked(mode, f"drawn {number}", each) for number, each in enumerate(answers_to(mode, _drawn(mode)))),
    ]


def _drawn(mode: str) -> list[dict[str, Any]]:
    step = _OF_A_CONFIG + 1 if mode == "decide" else 1
    questions = QUESTIONS[mode](Random(SEED), DRAWN[mode] * step)  # noqa: S311 - questions, not secrets
    drawn = (_short(each) for each in islice(questions, 0, None, step))
    return [each for each in drawn if mode != "signal" or len(json.dumps(each)) < _LARGEST_SIGNAL]


def _short(question: dict[str, Any]) -> dict[str, Any]:
    """Without groups that nothing asks for."""
    needs_groups = "Group" in json.dumps(question.get("condition"))
    return question if needs_groups else {key: part for key, part in question.items() if key != "groups"}


class DisagreementError(Exception):
    """The two implementations, or they and what was written, do not agree."""


def _checked(mode: str, about: str, answers: Answers, *expected: Any) -> Vector:
    if not answers.agree:
        raise DisagreementError(f"{about}: Python returns {answers.python}, JavaScript {answers.node}")
    actual = picture(mode, answers.python["result"])
    if expected and actual != expected[0]:
        raise DisagreementError(f"{about}: both say {actual}, written is {expected[0]}")
    return Vector(about, answers)
