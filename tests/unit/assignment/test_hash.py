"""The hash: conformance lines, third-party cases, folding, code units."""

import json
from pathlib import Path
from typing import Any

import pytest

from abtest.domain.assignment.hash import BUCKETS, bucket, fold, seed

DATA = Path("tests/data")
LINES = [json.loads(line) for line in (DATA / "conformance/hash.jsonl").read_text().splitlines()]
THIRD_PARTY = json.loads((DATA / "growthbook/cases.json").read_text())["hash"]
# Version 1 folds another way round and has a thousand buckets; unknown versions are a parameter that we do not have.
VERSION_TWO = [(seed, value, expected) for seed, value, version, expected in THIRD_PARTY if version == 2]


@pytest.mark.parametrize("line", LINES, ids=lambda line: str(line["id"]))
def test_bucket__of_a_conformance_line__is_the_expected_one(line: dict[str, Any]) -> None:
    inputs = line["inputs"]
    assert bucket(inputs["value"], fold(inputs["seed"])) == line["expected"]["bucket"]


@pytest.mark.parametrize(("seed_text", "value", "expected"), VERSION_TWO)
def test_bucket__of_a_third_party_case__is_ten_thousand_times_its_number(
    seed_text: str, value: str, expected: float
) -> None:
    assert bucket(value, fold(seed_text)) == round(expected * BUCKETS)


@pytest.mark.parametrize(
    ("text", "expected"), [("", 0x811C9DC5), ("a", 0xE40C292C), ("foobar", 0xBF9CF968)], ids=["empty", "a", "foobar"]
)
def test_fold__of_ascii__is_fnv_1a(text: str, expected: int) -> None:
    assert fold(text) == expected


def test_fold__of_an_astral_character__folds_its_two_code_units() -> None:
    assert fold("😀") == fold("\ude00", fold("\ud83d"))


def test_fold__of_a_unit_above_255__folds_it_whole() -> None:
    assert fold("€") == ((2166136261 ^ 0x20AC) * 16777619) & 0xFFFFFFFF


def test_fold__continued__is_the_hash_of_the_joined_text() -> None:
    assert fold("visitor", fold("seed")) == fold("seedvisitor")


def test_seed__of_the_first_epoch__is_the_experiment_id() -> None:
    assert [seed("x", epoch) for epoch in (1, 2, 10)] == ["x", "x:2", "x:10"]
