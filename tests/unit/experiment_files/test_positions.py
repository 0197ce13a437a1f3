"""Lines and columns of JSON values."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.experiment_files.positions import position_at, positions_of, problem_of_json
from abtest.kit.canonical_json import InvalidJsonError, loads_request

JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=5), inner, max_size=4)),
    max_leaves=20,
)


def places(value: Any, pointer: tuple[Any, ...] = ()) -> dict[tuple[Any, ...], Any]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    result = {pointer: value}
    for name, each in inner:
        result |= places(each, (*pointer, name))
    return result


@given(JSON, st.sampled_from([None, 0, 2]), st.booleans())
def test_positions__every_value_of_a_text__are_where_its_name_or_the_value_is(
    value: Any, indent: int | None, is_ascii: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=is_ascii)
    lines = text.split("\n")
    every = places(value)
    for pointer, position in positions_of(text, every).items():
        rest = "\n".join([lines[position.line - 1][position.column - 1 :], *lines[position.line :]])
        shown, _ = json.JSONDecoder().raw_decode(rest)
        is_member = pointer and isinstance(every[pointer[:-1]], dict)
        assert shown == (pointer[-1] if is_member else every[pointer])


def test_positions__value_that_is_missing__is_that_of_what_should_hold_it() -> None:
    text = '{\n  "a": {\n    "b": 1\n  }\n}'
    assert positions_of(text, [("a", "c", 3), ("x",)]) == {("a", "c", 3): (2, 3), ("x",): (1, 1)}


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ('{"a": 1,\n "a": 2}', 2, 2, "twice"),
        ('[{"a": 1},\n{"b": 1, "b": 1}]', 2, 10, "twice"),
        ("{\n  'a': 1\n}", 2, 3, "double quotes"),
        ("[1,\n2,\n]", 3, 1, "missing"),
        ("[NaN]", 1, 1, "NaN"),
        ("[" * 100_000, 1, 1, "nested too deeply"),
        ('{"a":' * 100_000, 1, 1, "nested too deeply"),
        ("", 1, 1, "missing"),
    ],
)
def test_problem__text_that_cannot_be_read__has_its_place(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(InvalidJsonError) as refused:
        loads_request(text)
    position, shown = problem_of_json(text, refused.value)
    assert tuple(position) == (line, column)
    assert message in shown


def test_position__offset__counts_lines_and_columns_from_one() -> None:
    assert [tuple(position_at("ab\nc", offset)) for offset in range(4)] == [(1, 1), (1, 2), (1, 3), (2, 1)]
