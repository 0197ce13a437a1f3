"""Values of several types: a request is told the place and one reason, never the names of our types."""

from typing import Any

import pytest
from pydantic import ValidationError

from abtest.contract.audience_rules import Comparison
from abtest.contract.goal_filters import GoalFilterCondition


def problems(
    model: type[Comparison] | type[GoalFilterCondition], value: Any
) -> list[tuple[tuple[str | int, ...], str]]:
    said = {"attribute": "device"} if model is Comparison else {"property": "colour"}
    with pytest.raises(ValidationError) as caught:
        model.model_validate({**said, "operator": "in", "value": value})
    return [(error["loc"], error["msg"]) for error in caught.value.errors()]


@pytest.mark.parametrize("value", [None, {}, {"int": 1}])
def test_alternatives__a_value_of_none_of_the_types__one_error_at_the_value(value: Any) -> None:
    assert problems(Comparison, value) == [(("value",), "must be a text, a number, a boolean, or a list of these")]


@pytest.mark.parametrize(
    ("model", "value", "place"),
    [
        (Comparison, "x" * 501, ("value",)),
        (Comparison, [], ("value",)),
        (Comparison, ["x"] * 101, ("value",)),
        (Comparison, ["x", "x" * 501], ("value", 1)),
        (Comparison, [["x"]], ("value", 0)),
        (GoalFilterCondition, True, ("value",)),
        (GoalFilterCondition, "x" * 1001, ("value",)),
        (GoalFilterCondition, ["x"] * 51, ("value",)),
        (GoalFilterCondition, [1, None], ("value", 1)),
    ],
)
def test_alternatives__something_wrong_with_one_type__told_where_it_is(
    model: type[Comparison] | type[GoalFilterCondition], value: Any, place: tuple[str | int, ...]
) -> None:
    assert [found for found, _ in problems(model, value)] == [place]


def test_alternatives__two_items_wrong__both_are_told() -> None:
    found = problems(Comparison, ["x" * 501, None])
    assert [place for place, _ in found] == [("value", 0), ("value", 1)]
    assert found[0][1] == "must have at most 500 characters"


@pytest.mark.parametrize("value", ["x" * 500, 1, 1.5, True, ["x"] * 100, ["x", 1, 2.5, False]])
def test_alternatives__values_of_the_types__stay_as_they_are(value: Any) -> None:
    kept = Comparison.model_validate({"attribute": "device", "operator": "in", "value": value}).value
    assert (kept, type(kept)) == (value, type(value))
