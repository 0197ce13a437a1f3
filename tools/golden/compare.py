"""`python -m tools.golden.compare --cases 200000 --seeds 1 2 3`: random questions to both, and every difference."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tools.golden.answers import Answers, answers_to
from tools.golden.questions.addresses import hash_questions, url_questions
from tools.golden.questions.conditions import condition_questions
from tools.golden.questions.decisions import decision_questions
from tools.golden.questions.signals import signal_questions

Make = Callable[[Random, int], Iterator[dict[str, Any]]]

QUESTIONS: dict[str, Make] = {
    "condition": condition_questions,
    "decide": decision_questions,
    "explain": decision_questions,
    "url": url_questions,
    "hash": hash_questions,
    "signal": signal_questions,
}
_SHARES = {"condition": 0.4, "decide": 0.2, "explain": 0.05, "url": 0.15, "hash": 0.05, "signal": 0.15}
_SHOWN = 5


def answers(mode: str, seed: int, count: int) -> Iterator[Answers]:
    """So many questions of a mode, with both answers."""
    return answers_to(mode, QUESTIONS[mode](Random(seed), count))  # noqa: S311 - questions, not secrets


def main(arguments: list[str]) -> int:
    """The exit code: 1 with a difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=200_000, help="questions for each seed, over all modes")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1])
    parser.add_argument("--modes", nargs="+", choices=list(QUESTIONS), default=list(QUESTIONS))
    options = parser.parse_args(arguments)
    disagreements = sum(_compared(mode, seed, options.cases) for seed in options.seeds for mode in options.modes)
    print(f"{disagreements} differences")
    return 1 if disagreements else 0


def _compared(mode: str, seed: int, cases: int) -> int:
    begun, count, disagreements = time.monotonic(), int(cases * _SHARES[mode]), 0
    for each in answers(mode, seed, count):
        if not each.agree:
            disagreements += 1
            _show(each, disagreements)
    print(
        f"{mode}, seed {seed}: {count} questions, {disagreements} differences, {time.monotonic() - begun:.0f} s",
        flush=True,
    )
    return disagreements


def _show(answered: Answers, number: int) -> None:
    if number <= _SHOWN:
        print(json.dumps({"question": answered.question, "python": answered.python, "node": answered.node}))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
