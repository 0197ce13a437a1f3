"""Explanations of the golden decisions: the same in both languages, with every step, and about what was decided."""

import json
import re
from pathlib import Path
from typing import get_args

from abtest.domain.assignment.explained import Step
from tests.support.explained import decided, expected, steps
from tools.golden.answers import Answers, answers_to

FOLDER = Path(__file__).parent
TYPES = FOLDER.parents[1] / "shared/abtest/storefront/svc.d.ts"
OF_BROWSERS = {"bot", "consent"}


def explained() -> list[Answers]:
    """The explanations of every golden decision, by both languages."""
    lines = (FOLDER / "decide.jsonl").read_text().splitlines()
    return list(answers_to("explain", (json.loads(line)["inputs"] for line in lines)))


def test_explanations__of_the_golden_decisions__are_equal_in_both_languages() -> None:
    answers = explained()
    assert len(answers) > 200
    assert [each for each in answers if not each.agree] == []


def test_explanations__of_the_golden_decisions__are_about_what_was_decided() -> None:
    decisions = [json.loads(line)["expected"] for line in (FOLDER / "decide.jsonl").read_text().splitlines()]
    for each, decision in zip(explained(), decisions, strict=True):
        assert decided(each.python["result"]) == expected(decision, each.question)


def test_explanations__of_the_golden_decisions__have_every_step() -> None:
    seen = set[str]().union(*(steps(each.python["result"]) for each in explained()))
    assert set(get_args(Step)) - seen == OF_BROWSERS | {"unreadable"}


def test_steps__in_the_types_of_the_storefront__are_those_of_the_server() -> None:
    details = re.search(r"interface SvcStepDetails \{\n(.*?)\n\}\n", TYPES.read_text(), re.DOTALL)
    assert details is not None
    assert tuple(re.findall(r"^  (\w+): ", details[1], re.MULTILINE)) == get_args(Step)
