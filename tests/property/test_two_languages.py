"""Addresses and hashes are answered alike: a fixed seed, tens of thousands of hostile questions, no difference."""

import json
import subprocess
import sys
from collections.abc import Iterable
from random import Random

import pytest

from tests.support.sizes import sized
from tools.golden.answers import Answers, answers_to
from tools.golden.questions.addresses import Question, hash_questions, url_questions

QUESTIONS = sized(24_000, 6_000)
COMMANDS = {
    "python": [sys.executable, "-m", "tools.conformance"],
    "node": ["node", "tools/conformance.mjs"],
}


def differences(mode: str, questions: Iterable[Question]) -> list[Answers]:
    """What the two do not agree on."""
    return [each for each in answers_to(mode, questions) if not each.agree]


def letters() -> Iterable[Question]:
    """Every code unit that is no surrogate, in its other case."""
    for unit in [*range(0x21, 0xD800), *range(0xE000, 0x10000)]:
        letter = chr(unit)
        for other in {letter.upper(), letter.lower(), letter.swapcase()} - {letter}:
            yield {"type": "simple", "pattern": f"/?q={letter}", "url": f"https://x.example/?q={other}"}


def test_url_rules__of_hostile_questions__are_answered_alike() -> None:
    assert differences("url", url_questions(Random(20260101), QUESTIONS)) == []


def test_url_rules__of_every_letter_in_both_cases__are_answered_alike() -> None:
    assert differences("url", letters()) == []


def test_hashes__of_hostile_texts__are_alike() -> None:
    assert differences("hash", hash_questions(Random(20260101), QUESTIONS)) == []


@pytest.mark.parametrize("language", COMMANDS)
def test_tool__given_a_line_that_asks_nothing__says_so_and_goes_on(language: str) -> None:
    lines = 'no json\n{"id": 7, "inputs": {}}\n\n{"id": 8, "inputs": {"seed": "\\ud800", "value": "\\udc00"}}\n'
    done = subprocess.run([*COMMANDS[language], "hash"], input=lines, capture_output=True, text=True, check=True)
    first, second, third = map(json.loads, done.stdout.splitlines())
    assert (first["id"], "error" in first) == (None, True)
    assert (second["id"], "error" in second) == (7, True)
    assert third == {"id": 8, "result": {"bucket": third["result"]["bucket"]}}


@pytest.mark.parametrize("language", COMMANDS)
def test_tool__asked_for_an_unknown_mode__refuses(language: str) -> None:
    done = subprocess.run([*COMMANDS[language], "guess"], input="", capture_output=True, text=True, check=False)
    assert done.returncode == 2
