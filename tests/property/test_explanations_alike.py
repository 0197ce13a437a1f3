"""Random visitors of random configs are explained alike in both languages, and as `decide` decides about them."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any

from abtest.domain.targeting.excerpts import MOST, MOST_NAMES
from tests.support.explained import decided, expected
from tests.support.sizes import sized
from tools.golden.answers import answers_to
from tools.golden.questions.decisions import decision_questions

SEED = 20260104
CASES = sized(20_000, 2_000)


def questions() -> list[dict[str, Any]]:
    """Random visitors of random configs."""
    return list(decision_questions(Random(SEED), CASES))


def test_explanations__of_random_visitors__are_alike_and_about_what_is_decided() -> None:
    for explained, decision in zip(answers_to("explain", questions()), answers_to("decide", questions()), strict=True):
        assert explained.agree
        for language in ("python", "node"):
            answer, decided_by = getattr(explained, language)["result"], getattr(decision, language)["result"]
            assert decided(answer) == expected(decided_by, explained.question)


def test_excerpts__of_large_values__are_alike_and_small() -> None:
    for each in answers_to("explain", questions_of_values(Random(SEED))):
        assert each.agree
        [flag] = each.python["result"]["flags"]
        assert len(json.dumps(flag["value"], ensure_ascii=False)) < 40 * MOST


def questions_of_values(random: Random) -> Iterator[dict[str, Any]]:
    """A flag with each of many large values."""
    for _ in range(sized(5_000, 300)):
        flag = {"id": "f", "key": "f", "state": 0, "below": 10_000, "on": large(random, 3), "off": None}
        yield {"config": {"experiments": [], "flags": [flag]}, "visitor": "v", "url": "/", "now": 0}


def large(random: Random, depth: int) -> Any:
    """JSON with long texts, many items and names that languages order in different ways."""
    kind = random.randrange(8) if depth else 7
    many = depth == 1
    if kind < 3:
        return [large(random, depth - 1) for _ in range(random.choice([1, 2, 5]))] * (MOST if many else 1)
    if kind < 6:
        size = random.choice([MOST_NAMES, MOST_NAMES + 1, 1500] if many else [0, 1, 2, 5])
        return {text(random, random.choice([0, 1, 2, 3, 9, 12])): large(random, depth - 1) for _ in range(size)}
    if kind == 6:
        return text(random, random.choice([0, 1, 5, 60, MOST - 1, MOST, MOST + 1, 1000]))
    return random.choice([None, True, False, 0, -1, 1.5, 1e300, 2**60, 10**400, "", "x", "😀"])


def text(random: Random, length: int) -> str:
    """A text with halves of pairs at every place, and names that are indices."""
    return "".join(random.choice(["a", "Z", "1", "0", "é", "\uffee", "😀", "\ud83d", "\ude00"]) for _ in range(length))
