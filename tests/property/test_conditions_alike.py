"""Random conditions with every operator are answered alike; what they came to is looked at too."""

from tests.support.sizes import sized
from tools.golden.compare import answers
from tools.golden.questions.conditions import LOGIC, OPERATORS
from tools.golden.shares import kinds_of_condition, shares

SEED = 20260101
CASES = sized(80_000, 16_000)
LEAST = 0.004


def test_conditions__random_ones_with_every_operator__are_answered_alike() -> None:
    asked = list(answers("condition", SEED, CASES))
    assert len(asked) == CASES
    assert [each for each in asked if not each.agree] == []
    found = shares(asked, kinds_of_condition)
    assert 0.3 < found["holds"] < 0.7
    every = [f"{operator} {result}" for operator in (*LOGIC, *OPERATORS) for result in ("holds", "fails")]
    assert [kind for kind in every if found.get(kind, 0) < LEAST] == []
