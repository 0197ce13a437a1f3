"""Every text of a request: a name that people can read, a text of a fixed form, an id, or free text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.integration.bad_input.examples import UNREADABLE
from tests.support.openapi import contract

Json = Mapping[str, Any]

FREE_TEXT = {
    "answer",
    "anti_flicker_selectors",
    "audience",
    "body",
    "clientNotes",
    "content",
    "css",
    "ctaStyle",
    "custom_css",
    "custom_js",
    "default",
    "description",
    "experiment_css",
    "experiment_js",
    "experiment_reset_js",
    "guidelinesText",
    "evidence",
    "html",
    "hypothesis",
    "js",
    "learning",
    "map",
    "message",
    "note",
    "qa_note",
    "quote",
    "reason",
    "reset_js",
    "selector",
    "summary",
    "text",
    "text_match",
    "value",
    "attributes",
    "styles",
}
"""Prose, code and values, which keep their line breaks and tabs. Of the last two these are the values."""

IDS = {
    "_signature",
    "cart_id",
    "confirmed_consumer_ids",
    "customer_id",
    "destination",
    "env",
    "environment",
    "eventId",
    "experience",
    "expected_revision",
    "experimentId",
    "force",
    "host",
    "logged_in_customer_id",
    "sessionId",
    "shopId",
    "sticky",
    "token",
    "user_id",
    "variationId",
    "variation_id",
    "visitorId",
    "visitor_id",
    "winning_variation_id",
}
"""Texts that are only compared with known ones, or made by the caller for people who are not."""

CHECKED = {"cookies", "currency", "deletes", "href", "path", "pattern", "timezone", "url", "url_pattern"}
"""Texts that a parser or a list of the domain checks (422)."""

DECIDED = ("const", "enum", "format", "pattern")


def resolved(schema: Json) -> Json:
    return contract().resolve(schema)


def texts(schema: Json, place: str, seen: set[str]) -> Iterator[tuple[str, Json]]:
    """Each text below a schema, under the name of its property; items and values have the name of what holds them."""
    title = schema.get("$ref")
    if title in seen:
        return
    seen |= {title} if title else set()
    schema = resolved(schema)
    if schema.get("type") == "string":
        yield place, schema
    for word in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(word, ()):
            yield from texts(part, place, seen)
    for name, part in schema.get("properties", {}).items():
        yield from texts(part, name, seen)
    for word in ("items", "additionalProperties"):
        if isinstance(schema.get(word), Mapping):
            yield from texts(schema[word], place, seen)


def request_texts() -> dict[str, list[Json]]:
    """Texts of all bodies, edge routes included, by the names of their properties."""
    by_name: dict[str, list[Json]] = {}
    seen: set[str] = set()
    for item in contract().document["paths"].values():
        for operation in item.values():
            body = resolved(operation.get("requestBody", {})) if isinstance(operation, Mapping) else {}
            for media in body.get("content", {}).values():
                for name, schema in texts(media["schema"], "", seen):
                    by_name.setdefault(name, []).append(schema)
    return by_name


TEXTS = request_texts()


def test_text__of_any_request__has_a_form_or_is_known_to_be_free() -> None:
    undecided = {name for name, schemas in TEXTS.items() if any(not set(DECIDED) & set(schema) for schema in schemas)}
    # A new name, key, title or label belongs in none of these tables: it is `Name`, `Label` or READABLE.
    assert undecided - FREE_TEXT - IDS - CHECKED == set()
    assert (FREE_TEXT | IDS | CHECKED) - undecided == set()


def test_text__with_a_pattern__has_one_that_no_unreadable_text_matches() -> None:
    patterns = {
        name: [schema["pattern"] for schema in schemas if "pattern" in schema] for name, schemas in TEXTS.items()
    }
    # Patterns leave out what is beyond U+FFFF, which validators without a mode for Unicode would read by halves.
    unreadable = [text for text in UNREADABLE if max(text) <= "\uffff"]
    loose = {
        name for name, each in patterns.items() for one in each if any(re.search(one, text) for text in unreadable)
    }
    # Rules name experiences that exist, also those that an older release stored.
    assert loose == {"experience_key"}


@pytest.mark.parametrize("words", [("name",), ("key",), ("title",), ("label",), ("surface", "platform", "property")])
def test_text__with_the_name_of_a_name__is_in_no_table(words: tuple[str, ...]) -> None:
    assert not [name for name in FREE_TEXT | IDS | CHECKED for word in words if word in name.lower()]
