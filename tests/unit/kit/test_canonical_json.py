"""The strict reader and the canonical writer."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.kit import canonical_json
from abtest.kit.canonical_json import InvalidJsonError

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


def test_dumps__object__has_sorted_keys_and_no_spaces() -> None:
    assert canonical_json.dumps({"b": [1, 2.5, None], "a": True, "é": "ü"}) == '{"a":true,"b":[1,2.5,null],"é":"ü"}'


def test_encode__keys_in_any_order__gives_the_same_bytes_and_hash() -> None:
    one, other = {"x": 1, "y": {"a": 1, "b": 2}}, {"y": {"b": 2, "a": 1}, "x": 1}
    assert canonical_json.encode(one) == canonical_json.encode(other)
    assert canonical_json.sha256(one) == canonical_json.sha256(other)


def test_sha256__known_value__is_that_of_its_bytes() -> None:
    assert canonical_json.sha256({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -float("inf"), [float("nan")]])
def test_dumps__number_that_json_has_not__is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json.dumps(value)


def test_encode__lone_surrogate__is_written_as_an_escape_and_read_back() -> None:
    written = canonical_json.encode({"\ud800": "a\udfffé"})
    assert written.isascii()
    assert canonical_json.loads(written) == {"\ud800": "a\udfffé"}


@given(VALUES)
def test_encode__any_json__is_read_back_as_it_was_and_written_the_same_again(value: Any) -> None:
    written = canonical_json.encode(value)
    assert canonical_json.loads(written) == value
    assert canonical_json.encode(canonical_json.loads(written)) == written


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "{",
        "[1,]",
        "{'a':1}",
        '{"a":1}}',
        "nul",
        "NaN",
        "Infinity",
        "-Infinity",
        "[1e400]",
        "-1e999",
        '{"a":1,"a":2}',
        '[{"a":{"b":1,"b":1}}]',
        '"\x01"',
        "01",
        "+1",
        b"\xff\xfe\xfa",
        b'"\xc3"',
        b'"\xed\xa0\x80"',
        '"é"'.encode("utf-16"),
        "[]".encode("utf-16-le"),
        "[]".encode("utf-32"),
        "[" * 200_000,
        '{"a":' * 100_000,
        "9" * 5_000,
        '"\\u12"',
    ],
    ids=lambda text: repr(text[:16]),
)
def test_loads__hostile_text__is_refused_as_invalid_json(text: str | bytes) -> None:
    with pytest.raises(InvalidJsonError):
        canonical_json.loads(text)


def test_loads__number_of_thousands_of_digits__is_refused_in_our_words() -> None:
    with pytest.raises(InvalidJsonError, match=r"^a number has too many digits$"):
        canonical_json.loads('{"traffic_allocation":' + "9" * 4301 + "}")


@given(st.binary(max_size=60))
def test_loads__any_bytes__gives_a_value_or_says_why_not(content: bytes) -> None:
    try:
        value = canonical_json.loads(content)
    except InvalidJsonError:
        return
    assert canonical_json.loads(canonical_json.encode(value)) == value


@given(st.text(max_size=60))
def test_loads__any_text__accepts_no_more_than_the_standard_library(text: str) -> None:
    try:
        value = canonical_json.loads(text)
    except InvalidJsonError:
        return
    assert json.loads(text) == value


@given(st.text('{}[],:"\\u1en tr\n', max_size=12))
def test_loads__almost_json__is_refused_in_our_words(text: str) -> None:
    reason = ""
    try:
        canonical_json.loads(text)
    except InvalidJsonError as error:
        reason = str(error)
    assert re.match(r"$|line \d+, column \d+: |an object has the same key twice", reason)
    assert not re.search(r"Expecting|delimiter|Extra data|Invalid|this is not JSON", reason)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("7.0", "7"),
        ("-0.0", "0"),
        ("0e-99999999999999999999", "0"),
        ("9007199254740992.0", "9007199254740992"),
        ("9007199254740993.0", "9007199254740993"),
        ("1e16", "10000000000000000"),
        ("-1e17", "-100000000000000000"),
        ("1e22", "10000000000000000000000"),
    ],
)
def test_loads_request__integral_float__is_the_integer(text: str, other: str) -> None:
    read = canonical_json.loads_request(text.encode())
    assert type(read) is int
    assert canonical_json.same(read, canonical_json.loads_request(other.encode()))


@pytest.mark.parametrize("text", ["0.5", "9007199254740992.5", "1e23", "1.5e300"])
def test_loads_request__fraction_or_vast_number__stays_a_float(text: str) -> None:
    assert type(canonical_json.loads_request(text.encode())) is float
