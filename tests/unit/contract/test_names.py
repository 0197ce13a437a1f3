"""Names of every family: one type, which lists can show."""

from __future__ import annotations

import json
import re

import pytest
from pydantic import TypeAdapter, ValidationError

from abtest.contract.names import Name, OptionalName
from tests.support.openapi import contract

NAMES: TypeAdapter[str] = TypeAdapter(Name)
PATTERN = NAMES.json_schema()["pattern"]
RULE_NAMES: TypeAdapter[str] = TypeAdapter(OptionalName)
PATTERN_OR_EMPTY = RULE_NAMES.json_schema()["pattern"]

READABLE = [
    "A",
    " Summer sale ",
    "Größe & Maß",
    "عرض \u200fالصيف",  # with the mark that right-to-left text needs
    "می\u200cخواهم",  # with the joiner that Persian needs
    "夏のセール",
    "👩\u200d👩\u200d👧 family",
    "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # the flag of England, which has tags
    "x" * 255,
]
UNREADABLE = [
    "",
    " ",
    "\u00a0\u3000",
    "\u200b\ufeff",
    "\u3164",
    "\u2800",
    "a\tb",
    "a\r\nb",
    "a\x00",
    "a\x7fb",
    "\x9b31m",
    "a\u2028b",
    "invoice\u202efdp.exe",
    "\u2066a\u2069",
    "a\uffff",
    "a\ufdd0",
    "x" * 256,
]
BEYOND = ["\U000e0041", "\U000e0041\U000e007f ", "\U000e0100", "a\U0001ffff", "a\U0010fffe"]
"""Refused as well, but not by the pattern of the document, which is for validators without a mode for Unicode."""


@pytest.mark.parametrize("text", READABLE)
def test_name__that_can_be_read__is_kept_as_it_is(text: str) -> None:
    assert NAMES.validate_python(text) == text
    assert re.search(PATTERN, text)


@pytest.mark.parametrize("text", BEYOND)
def test_name__unreadable_beyond_the_basic_plane__is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        NAMES.validate_python(text)


@pytest.mark.parametrize("text", UNREADABLE)
def test_name__that_no_list_can_show__is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        NAMES.validate_python(text)
    assert len(text) > 255 or not re.search(PATTERN, text)


def test_name_of_a_rule__may_be_empty_but_not_unreadable() -> None:
    assert RULE_NAMES.validate_python("") == ""
    assert re.search(PATTERN_OR_EMPTY, "")
    for text in UNREADABLE[1:]:
        with pytest.raises(ValidationError):
            RULE_NAMES.validate_python(text)
        assert len(text) > 255 or not re.search(PATTERN_OR_EMPTY, text)


def test_pattern__matches_what_is_accepted() -> None:
    for code in (*range(0xD800), *range(0xE000, 0x11000)):
        text = chr(code)
        accepted = True
        try:
            NAMES.validate_python(text)
        except ValidationError:
            accepted = False
        assert accepted == bool(re.search(PATTERN, text)), hex(code)


def test_names__of_every_request__are_of_this_type() -> None:
    schemas = contract().document["components"]["schemas"]
    names = {title: json.dumps(schema.get("properties", {}).get("name")) for title, schema in schemas.items()}
    # Only requests limit the length; responses show what is stored.
    inputs = {title: name for title, name in names.items() if "maxLength" in name}
    # Rules in lists may have an empty name, which older releases stored.
    rules = {title for title, name in inputs.items() if json.dumps(PATTERN) not in name}
    # Names of form fields are for the programs that receive the form, and have a narrower pattern.
    rules -= {"PageFormField"}
    assert rules == {"PageRules", "TargetedAudience", "TargetedPage"}
    assert all(json.dumps(PATTERN_OR_EMPTY) in inputs[title] for title in rules)
    assert len(inputs) > 25
