"""Conditions: all public cases, then what they leave open (section 2.2 of docs/data-model.md)."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.targeting.conditions import OPERATORS, holds, parts, prepare

CASES = json.loads(Path("tests/data/growthbook/cases.json").read_text())["evalCondition"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case[0])
def test_condition__of_a_public_case__holds_as_it_says(case: list[Any]) -> None:
    _, condition, attributes, expected, *groups = case
    assert holds(condition, attributes, *groups) is expected


def test_public_cases__are_all_there() -> None:
    assert len(CASES) == 248


@pytest.mark.parametrize(
    ("entry", "value", "expected"),
    [
        pytest.param("1", 1, True, id="a text equals the text of a number"),
        pytest.param("0.000001", 1e-6, True, id="numbers are written as JavaScript does"),
        pytest.param("1e-7", 1e-7, True, id="with exponents only where they are small"),
        pytest.param("1e+21", 1e21, True, id="or large"),
        pytest.param("100000000000000000000", 1e20, True, id="from 22 digits on"),
        pytest.param("9007199254740992", 9007199254740993, True, id="numbers are doubles"),
        pytest.param("0", -0.0, True, id="minus zero has no sign"),
        pytest.param("-1.5", -1.5, True, id="a negative fraction"),
        pytest.param("123456.789", 123456.789, True, id="a fraction"),
        pytest.param("1.5e-9", 1.5e-9, True, id="a fraction with an exponent"),
        pytest.param("true", True, True, id="a text equals the text of a boolean"),
        pytest.param("null", None, False, id="null has no text"),
        pytest.param("a", ["a"], False, id="a list has no text"),
        pytest.param(1, "1.0", True, id="a number equals the number of a text"),
        pytest.param(255, " 0xFF\n", True, id="in every way in which JavaScript reads numbers"),
        pytest.param(5, "0b101", True, id="binary"),
        pytest.param(0, "", True, id="an empty text is zero"),
        pytest.param(10, "1_0", False, id="underscores are Python's"),
        pytest.param(1, "١", False, id="digits are ASCII"),
        pytest.param(0, None, False, id="null has no number when it must equal one"),
        pytest.param(0, [], False, id="a list has no number"),
        pytest.param(True, "false", True, id="every text with a letter is true"),
        pytest.param(True, [], True, id="empty lists are true"),
        pytest.param(False, 0, True, id="zero is false"),
        pytest.param(False, None, False, id="null is no boolean"),
        pytest.param({"$eq": 1}, 1.0, True, id="1 is 1.0"),
        pytest.param({"$eq": 1}, True, False, id="true is not 1"),
        pytest.param({"$eq": "1"}, 1, False, id="$eq knows types"),
        pytest.param({"$eq": None}, None, True, id="null is null"),
        pytest.param({"$eq": {"a": 1, "b": [2]}}, {"b": [2.0], "a": 1}, True, id="the order of keys is none"),
        pytest.param({"$eq": [1, True]}, [True, 1], False, id="deep equality knows types and order"),
        pytest.param({"$ne": 1}, True, True, id="$ne negates it"),
        pytest.param({"$lt": 9}, "10", False, id="a text beside a number is a number"),
        pytest.param({"$lt": "9"}, "10", True, id="two texts are texts"),
        pytest.param({"$gt": 0}, True, True, id="true is 1 in an order"),
        pytest.param({"$gte": 0}, None, True, id="null is 0 in an order"),
        pytest.param({"$lte": 0}, "x", False, id="no number is not less"),
        pytest.param({"$gte": 0}, "x", False, id="nor more"),
        pytest.param({"$gte": 0}, [5], False, id="lists have no order"),
        pytest.param({"$lt": "\uffff"}, "\U00010000", True, id="texts are ordered by code units"),
        pytest.param({"$gt": 1}, "Infinity", True, id="infinity is a number"),
        pytest.param({"$lt": 10**400}, 1, True, id="numbers beyond all doubles are infinite"),
        pytest.param({"$in": [[1], 2]}, [1], True, id="a list in a list"),
        pytest.param({"$in": [1]}, True, False, id="$in knows types"),
        pytest.param({"$in": ["a", 1]}, [2, 1.0], True, id="an item of a list"),
        pytest.param({"$ini": ["É", 1]}, ["é"], True, id="$ini folds beyond ASCII"),
        pytest.param({"$nin": "a"}, "b", False, id="$nin without a list holds never"),
        pytest.param({"$not": {"$nin": "a"}}, "b", True, id="and its negation always"),
        pytest.param({"$all": [{"$gt": 1}, 5]}, [5], True, id="$all takes operators"),
        pytest.param({"$all": []}, [], True, id="nothing is asked of a list"),
        pytest.param({"$alli": ["TRUE"]}, [True], True, id="$alli takes the texts of booleans"),
        pytest.param({"$elemMatch": {"$eq": 0}}, [0], True, id="an item may be zero"),
        pytest.param({"$elemMatch": {"a": 1}}, [3, {"a": 1}], True, id="an item may be no object"),
        pytest.param({"$elemMatch": 1}, [1], False, id="$elemMatch needs an object"),
        pytest.param({"$size": "2"}, [1, 2], True, id="a size is a number to equal"),
        pytest.param({"$type": "boolean"}, True, True, id="a boolean is no number"),
        pytest.param({"$type": "number"}, True, False, id="to Python alone it is"),
        pytest.param({"$exists": []}, 1, True, id="an empty list is true"),
        pytest.param({"$exists": 0}, None, True, id="zero is false, too"),
        pytest.param({"$regex": "^5"}, 5.5, True, id="expressions read numbers"),
        pytest.param({"$regex": "u"}, None, False, id="but not null"),
        pytest.param({"$regex": 5}, "5", False, id="an expression is a text"),
        pytest.param({"$regexi": "É"}, "é", True, id="case beyond ASCII"),
        pytest.param({"$veq": "1.2"}, 1.2, True, id="a version may be a number"),
        pytest.param({"$veq": "0"}, [], True, id="what is no version is 0"),
        pytest.param({"$vlt": "1.10.0"}, "v1.9.0+5", True, id="parts are numbers"),
        pytest.param({"$eq": 1, "x": 2}, {"x": 2, "$eq": 1}, True, id="not operators alone: a value to equal"),
        pytest.param({}, {}, True, id="an empty object is a value"),
        pytest.param({"$unknown": 1}, 1, False, id="unknown operators hold never"),
        pytest.param({"$not": {"$unknown": 1}}, 1, True, id="and their negation always"),
    ],
)
def test_entry(entry: Any, value: Any, expected: bool) -> None:
    assert holds({"a": entry}, {"a": value}) is expected


@pytest.mark.parametrize(
    ("path", "attributes", "expected"),
    [
        ("a.b", {"a": {"b": 1}}, True),
        ("a.b", {"a.b": 1}, False),
        ("a.1", {"a": [0, 1]}, True),
        ("a.01", {"a": [0, 1]}, False),
        ("a.9", {"a": [0, 1]}, False),
        ("a.length", {"a": [0]}, False),
        ("a.0", {"a": "1"}, False),
        ("", {"": 1}, True),
        ("__proto__.a", {}, False),
        ("a.99999999999999999999", {"a": [1]}, False),
    ],
)
def test_path__leads_into_objects_and_lists_alone(path: str, attributes: dict[str, Any], expected: bool) -> None:
    assert holds({path: {"$eq": 1}}, attributes) is expected


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (None, False),
        ([], False),
        ("x", False),
        ({"$and": {}}, False),
        ({"$or": 1}, False),
        ({"$nor": 1}, True),
        ({"$nor": []}, False),
        ({"$not": 1}, True),
        ({"$not": {}}, False),
        ({"$and": [1]}, False),
    ],
)
def test_condition__of_a_wrong_shape__holds_never_and_its_negation_always(condition: Any, expected: bool) -> None:
    assert holds(condition, {}) is expected


def test_saved_groups__of_a_wrong_shape__are_empty() -> None:
    groups: Any = {"one": 5}
    assert not holds({"a": {"$inGroup": "one"}}, {"a": 5}, groups)
    assert not holds({"a": {"$inGroup": ["one"]}}, {"a": 5}, groups)
    assert holds({"a": {"$notInGroup": "two"}}, {"a": 5}, groups)


def nested(depth: int, seed: Any) -> Any:
    for _ in range(depth):
        seed = [seed]
    return seed


def test_condition__nested_beyond_the_stack__holds_never() -> None:
    deep: Any = {"a": 1}
    for _ in range(100_000):
        deep = {"$not": deep}
    assert not prepare(deep)({"a": 1})
    assert not holds({"a": {"$eq": nested(100_000, 1)}}, {"a": nested(100_000, 1)})


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)
operators = st.sampled_from([*OPERATORS, "$and", "$or", "$nor", "$other"])


@given(st.dictionaries(operators | st.just("a"), values | st.dictionaries(operators, values)), values)
def test_condition__of_anything_on_anything__says_yes_or_no(condition: Any, value: Any) -> None:
    for attributes in ({"a": value}, value):
        assert holds(condition, attributes, {"a": [value]}) in (True, False)
        assert all(holds(part, attributes) for part in parts(condition)) is holds(condition, attributes)
