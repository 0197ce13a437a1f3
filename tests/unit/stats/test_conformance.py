"""The conformance tool's mode `statistics`: every given case, and lines that are no questions."""

import json
from math import isclose
from pathlib import Path
from typing import Any

import pytest

from tools.conformance.__main__ import answer, main, mode_named
from tools.conformance.statistics import KINDS

DATA = Path(__file__).parents[2] / "data/conformance/statistics.jsonl"
LINES = [json.loads(line) for line in DATA.read_text().splitlines()]
HUGE = "9" * 400


def agrees(found: Any, expected: Any, rel: float, absolute: float) -> bool:
    if isinstance(expected, list):
        return len(found) == len(expected) and all(
            agrees(one, other, rel, absolute) for one, other in zip(found, expected, strict=True)
        )
    if isinstance(expected, float) and found is not None:
        return isclose(found, expected, rel_tol=rel, abs_tol=absolute)
    return bool(found == expected and type(found) is type(expected))


@pytest.mark.parametrize("line", LINES, ids=lambda line: line["id"])
def test_statistics__given_case__has_its_values(line: dict[str, Any]) -> None:
    found = answer(json.dumps(line).encode(), KINDS)
    tolerance = line["tolerance"]
    rel, absolute = max(tolerance.get("rel", 0), tolerance.get("n_exact_rel", 0)), tolerance.get("abs", 0)
    assert found["id"] == line["id"]
    wrong = {
        name: (found["result"][name], expected)
        for name, expected in line["expected"].items()
        if not agrees(found["result"][name], expected, rel, absolute)
    }
    assert not wrong


def test_statistics__the_given_cases__ask_every_kind_once() -> None:
    assert sorted(line["kind"] for line in LINES) == sorted(KINDS)
    assert len(KINDS) == 16


def without(line: dict[str, Any], **changed: Any) -> bytes:
    return json.dumps({**line, "inputs": {**line["inputs"], **changed}}).encode()


@pytest.mark.parametrize("value", [None, True, "5", [], {}, float("nan"), float("inf"), -1, int(HUGE), 1e308])
@pytest.mark.parametrize("line", LINES, ids=lambda line: line["id"])
def test_statistics__any_input_that_is_nonsense__is_answered_as_strict_json(line: dict[str, Any], value: Any) -> None:
    for name in line["inputs"]:
        found = answer(without(line, **{name: value}), KINDS)
        assert ("result" in found) != ("error" in found)
        json.dumps(found, allow_nan=False)


@pytest.mark.parametrize(
    "line",
    [
        b"[]", b"7", b"{}", b"nonsense", b"\xff", b'{"id": 1}', b'{"id": 1, "kind": "none", "inputs": {}}',
        b'{"id": 1, "kind": ["msprt"], "inputs": {}}', b'{"id": 1, "kind": "msprt", "inputs": []}', b"[" * 100_000,
    ],
)  # fmt: skip
def test_statistics__a_line_that_is_no_question__is_an_error(line: bytes) -> None:
    assert set(answer(line, KINDS)) == {"id", "error"}


def test_two_prop_z__an_empty_arm__is_null_throughout() -> None:
    found = answer(without(LINES[0], control_visitors=0, control_conversions=0), KINDS)["result"]
    assert found["treatment_rate"] == 0.057
    assert {value for name, value in found.items() if name != "treatment_rate"} == {None}


def test_welch__arms_of_unequal_size__tells_both_p_values() -> None:
    control = {"n": 9000, "mean": 2.0, "variance": 400.0}
    line = without(LINES[1], control=control, treatment={"n": 100, "mean": 5.0, "variance": 90.0})
    found = answer(line, KINDS)["result"]
    assert found["p_value"] < found["guarded_p_value"]


def test_group_sequential_boundaries__beyond_eight__are_null() -> None:
    inputs = {"information": [0.05, 0.5, 1, 1.5], "spending": "hwang_shih_decani", "gamma": -4, "alpha_one_sided": 0.01}
    line = {"id": 1, "kind": "group_sequential_boundaries", "inputs": inputs}
    steep = answer(json.dumps({**line, "inputs": {**inputs, "spending": "obrien_fleming"}}).encode(), KINDS)
    assert [z is None for z in steep["result"]["z"]] == [True, False, False, True]
    assert [z is None for z in answer(json.dumps(line).encode(), KINDS)["result"]["z"]] == [False, False, False, True]


@pytest.mark.parametrize(
    "changed",
    [{"spending": "hwang_shih_decani"}, {"spending": "none"}, {"alpha_one_sided": 0.5}, {"information": [0.5, 0.5]}],
)
def test_group_sequential_boundaries__inputs_that_cannot_be__are_an_error(changed: dict[str, Any]) -> None:
    line = next(line for line in LINES if line["kind"] == "group_sequential_boundaries")
    assert set(answer(without(line, **changed), KINDS)) == {"id", "error"}


def test_mode_named__statistics__is_the_table_of_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    assert mode_named("statistics") is KINDS
    assert mode_named("nothing") is None
    assert main(["nothing"]) == 2
    assert "statistics" in capsys.readouterr().err
