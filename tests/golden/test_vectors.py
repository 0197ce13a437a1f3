"""The golden vectors: Python answers them, they are what the generator writes, and it writes nothing that is wrong."""

import json
from pathlib import Path

import pytest

from tools.conformance.__main__ import answer
from tools.conformance.modes import MODES
from tools.golden import __main__ as golden
from tools.golden import vectors
from tools.golden.vectors import MODES as VECTORS
from tools.golden.written import decisions
from tools.golden.written.shop import case

FOLDER = Path(__file__).parent
LARGEST = 1_000_000


@pytest.mark.parametrize("mode", VECTORS)
def test_vectors__asked_of_python__are_answered_as_written(mode: str) -> None:
    lines = (FOLDER / f"{mode}.jsonl").read_bytes().splitlines()
    assert len(lines) >= 150
    wrong = [line for line in lines if answer(line, MODES[mode]).get("result") != json.loads(line)["expected"]]
    assert wrong == []


def test_vectors__made_again__are_the_same_bytes() -> None:
    for mode in VECTORS:
        assert golden.render(mode) == (FOLDER / f"{mode}.jsonl").read_bytes(), f"{mode}: run python -m tools.golden"


def test_vectors__all_together__stay_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*.jsonl")) < LARGEST


def test_written_cases__each__has_a_name_of_its_own() -> None:
    names = [name for name, _ in vectors.written()]
    assert len(set(names)) == len(names)
    assert len(names) > 250


def test_generator__of_a_written_answer_that_nobody_gives__refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = case("wrong", {}, ["cohort holdout"])
    monkeypatch.setitem(decisions.CASES, "wrong", [wrong])
    with pytest.raises(vectors.DisagreementError, match="wrong: wrong: both say"):
        vectors.vectors("decide")
    assert golden.main(["--check"]) == 1
