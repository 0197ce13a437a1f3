"""The pieces of wire models: strictness, absence, moments, references, stored JSON."""

from typing import Annotated, Any

import pytest
from pydantic import ValidationError

from abtest.contract.base import ABSENT, AsStored, Input, Moment, OpenInput, Output, Reference, Uuid
from abtest.contract.urls import WebUrl


class Wish(Input):
    number: float = ABSENT
    count: int = ABSENT
    text: str | None = ABSENT
    at: Moment = ABSENT
    id: Uuid = ABSENT
    ref: Reference = ABSENT
    url: WebUrl = ABSENT


@pytest.mark.parametrize(
    "stated",
    [
        {"number": True},
        {"number": "1"},
        {"number": float("nan")},
        {"number": float("inf")},
        {"number": None},
        {"count": 1.0},
        {"count": True},
        {"text": 1},
        {"other": 1},
        {"at": "2026-01-01"},
        {"at": "2026-01-01T00:00:00"},
        {"at": "2026-02-30T00:00:00Z"},
        {"at": "2026-W01-1T00:00:00Z"},
        {"at": "0001-01-01T00:00:00+23:59"},
        {"at": "9999-12-31T23:59:59-23:59"},
        {"at": 0},
        {"id": "{019c0000-0000-7000-8000-000000000000}"},
        {"id": "019c000000007000800000000000000000"},
        {"ref": "0123456789"},
        {"ref": "12345678901"},
        {"ref": "١٢٣٤٥٦٧٨٩٠"},
        {"url": "//x.example"},
        {"url": "ftp://x.example"},
        {"url": "https://"},
        {"url": "https://u@x.example"},
        {"url": "https:\\\\x.example"},
        {"url": "https://x.example/" + "x" * 2048},
    ],
)
def test_input__not_exactly_right__is_refused(stated: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Wish.model_validate(stated)


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-31T09:30:00Z", "2026-01-31T09:30:00.000Z"),
        ("2026-01-31T09:30:00.123456+02:00", "2026-01-31T07:30:00.123Z"),
        ("2026-01-31t09:30:00z", "2026-01-31T09:30:00.000Z"),
    ],
)
def test_moment__any_offset__becomes_utc(text: str, moment: str) -> None:
    assert Wish.model_validate({"at": text}).at == moment


def test_stated__absent_and_null__are_told_apart() -> None:
    assert Wish.model_validate({"text": None, "number": 1}).provided() == {"text": None, "number": 1.0}


def test_schema__absent_default__is_not_told() -> None:
    schema = Wish.model_json_schema()
    assert "required" not in schema
    assert all("default" not in described for described in schema["properties"].values())
    assert schema["additionalProperties"] is False


class Loose(OpenInput):
    known: int = ABSENT


@pytest.mark.parametrize(("depth", "accepted"), [(10, True), (19, True), (20, False), (500, False)])
def test_open_input__nested__is_bounded(depth: int, accepted: bool) -> None:
    value: Any = 1
    for _ in range(depth - 1):
        value = {"x": value}
    if accepted:
        assert Loose.model_validate({"own": value}).provided() == {"own": value}
        return
    with pytest.raises(ValidationError):
        Loose.model_validate({"own": value})


class Answer(Output):
    stored: Annotated[Any, AsStored(list[Wish])]
    more: str = ABSENT


def test_stored__what_an_older_release_let_in__goes_out_unchanged() -> None:
    answer = Answer(stored=[{"legacy": True}])
    assert answer.model_dump(mode="json", exclude_unset=True) == {"stored": [{"legacy": True}]}
    assert Answer.model_json_schema(mode="serialization")["properties"]["stored"]["items"] == {"$ref": "#/$defs/Wish"}


def test_output__row_version__is_no_field() -> None:
    answer = Answer(stored=[]).at(3)
    assert answer.row_version == 3
    assert answer.model_dump(exclude_unset=True) == {"stored": []}
