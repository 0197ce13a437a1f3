"""Answers of both implementations to the same questions: Python here, JavaScript in one Node process per batch."""

import json
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tools.conformance.__main__ import answer
from tools.conformance.modes import MODES

Question = dict[str, Any]
Answer = dict[str, Any]
"""`{"id", "result"}` or `{"id", "error"}`."""

_BATCH = 4000
_NODE = ["node", "tools/conformance.mjs"]


@dataclass(frozen=True, slots=True)
class Answers:
    """A question with the answer of each implementation."""

    question: Question
    python: Answer
    node: Answer

    @property
    def agree(self) -> bool:
        """Return whether both answers are the same and neither is an error, because every question here is valid."""
        return "result" in self.python and self.python == self.node


def answers_to(mode: str, questions: Iterable[Question]) -> Iterator[Answers]:
    """Every question with both answers, batch by batch."""
    waiting = iter(questions)
    while batch := list(islice(waiting, _BATCH)):
        lines = [json.dumps({"id": number, "inputs": inputs}) for number, inputs in enumerate(batch)]
        yield from map(Answers, batch, in_python(mode, lines), in_node(mode, lines))


def in_python(mode: str, lines: Iterable[str]) -> Iterator[Answer]:
    """Answers of the server's code to the lines as they would arrive."""
    return (answer(line.encode(), MODES[mode]) for line in lines)


def in_node(mode: str, lines: Sequence[str]) -> list[Answer]:
    """Answers of the storefront's code. Raises ValueError unless there is one answer per line."""
    done = subprocess.run([*_NODE, mode], input="\n".join(lines).encode(), capture_output=True, check=True)
    answers = [json.loads(line, parse_int=whole) for line in done.stdout.split(b"\n") if line]
    if len(answers) != len(lines):
        raise ValueError(f"{len(answers)} answers to {len(lines)} questions")
    return answers


def whole(digits: str) -> int | float:
    """JavaScript writes doubles beyond 2^53 without a fraction; they are doubles all the same."""
    return int(digits) if abs(int(digits)) <= 2**53 else float(digits)
