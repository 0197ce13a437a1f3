"""The grammar of a spec on the wire: each limit, each path of an error, and the types that it becomes."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from abtest.contract.base import Input
from abtest.contract.page_blocks import BLOCK_MODELS
from abtest.contract.page_specs import _SHAPES, PageSpecInput, seo_of, spec_of
from abtest.contract.schema_messages import schema_message
from abtest.domain.pages import spec
from abtest.http.validation import field_path, translate
from tests.support.landing import BLOCKS, FONT, FOOTER, PHOTO, block, page

IMAGE = {"asset_id": PHOTO.id, "alt": "A lamp"}
LINK = {"label": "Buy", "href": "/cart"}
LONG = "a" * 201

COLOUR = "must be a colour of a hash and six hexadecimal digits, such as #1f4fd1"
FONTS = "must be system, serif, mono, or an object with the asset_id of a font"
UUID = "must be a UUID, such as 0199d5a0-0000-7000-8000-000000000000"
CONTROLS = "must not have control characters, noncharacters or overrides of the writing direction"
SLUG = "must be lower-case letters and digits in words joined by hyphens, such as our-lamps"
HTTPS = "must be an absolute https address without credentials or spaces"
UNKNOWN = "is not a property of this object"
BLANK = "must have at least one visible character"
TOO_LONG = "must have at most 200 characters"
NAME = "must be letters A to Z, digits, _ and -, beginning with a letter"


def problems(document: Any) -> list[tuple[str, str]]:
    """Return path and message of each problem, as a response has them."""
    with pytest.raises(ValidationError) as caught:
        spec_of(document)
    return [
        (field_path(("body", *problem["loc"])), schema_message(problem))
        for problem in caught.value.errors(include_url=False)
    ]


def problem_in(kind: str, **more: Any) -> list[tuple[str, str]]:
    """Return the problems of a page whose only block has these fields; paths begin in the block."""
    result = problems(page() | {"blocks": [block(kind, **more)]})
    return [(path.removeprefix("blocks[0]."), message) for path, message in result]


def test_spec__with_every_block_and_a_footer__becomes_the_types_of_the_domain() -> None:
    read = spec_of(page(footer=FOOTER))
    assert [each.type for each in read.blocks] == list(BLOCKS)
    assert read.footer is not None
    assert [link.href for link in read.footer.links] == ["/imprint", "/privacy"]
    hero = read.blocks[0]
    assert isinstance(hero, spec.Hero)
    assert isinstance(hero.body, spec.Markdown)
    assert hero.image == spec.Image(asset_id=PHOTO.id, alt="Desk lamp next to a window at dusk")
    assert hero.links[1] == spec.Link(label="How it works", href="#steps")


def test_spec__without_a_theme__has_that_of_the_service() -> None:
    document = page("text")
    del document["theme"]
    assert spec_of(document) == spec_of(page("text"))


@pytest.mark.parametrize(("model", "shape"), _SHAPES.items(), ids=lambda each: getattr(each, "__name__", ""))
def test_model_and_type_of_the_domain__have_the_same_fields(model: Any, shape: Any) -> None:
    on_the_wire = {field.alias or name for name, field in model.model_fields.items()} - {"format"}
    if shape in spec.BLOCKS:
        on_the_wire -= {"type"}
    assert on_the_wire == {field.name for field in fields(shape)}


def test_blocks__of_the_wire_and_of_the_domain__are_the_same() -> None:
    assert set(BLOCK_MODELS) == {shape.type for shape in spec.BLOCKS} == set(BLOCKS)


@pytest.mark.parametrize(
    ("more", "path", "message"),
    [
        ({"format": 2}, "format", "must be at most 1"),
        ({"format": True}, "format", "must be an integer"),
        ({"lang": "english"}, "lang", "must be a language tag, such as en or de-AT"),
        ({"lang": "en-"}, "lang", "must be a language tag, such as en or de-AT"),
        ({"blocks": []}, "blocks", "must have 1 or more items"),
        ({"blocks": [block("cta")] * 61}, "blocks", "must have at most 60 items"),
        ({"blocks": [3]}, "blocks[0]", "must be an object"),
        ({"blocks": [{"id": "a"}]}, "blocks[0].type", "is required"),
        ({"html": "<b>"}, "html", UNKNOWN),
        ({"blocks": [block("text", body=" \ufeff")]}, "blocks[0].body", BLANK),
        ({"blocks": [block("hero", body="  ")]}, "blocks[0].body", BLANK),
        ({"theme": {"primary": "red"}}, "theme.primary", COLOUR),
        ({"theme": {"primary": "#fff"}}, "theme.primary", COLOUR),
        ({"theme": {"primary": "#ffffff;}"}}, "theme.primary", COLOUR),
        ({"theme": {"radius": 25}}, "theme.radius", "must be at most 24"),
        ({"theme": {"radius": -1}}, "theme.radius", "must be 0 or more"),
        ({"theme": {"width": 719}}, "theme.width", "must be 720 or more"),
        ({"theme": {"width": 1441}}, "theme.width", "must be at most 1440"),
        ({"theme": {"font": "comic"}}, "theme.font", FONTS),
        ({"theme": {"font": {"asset_id": "x"}}}, "theme.font.asset_id", UUID),
        ({"theme": {"font": 3}}, "theme.font", FONTS),
        ({"footer": {"links": [LINK] * 13}}, "footer.links", "must have at most 12 items"),
        ({"footer": {"color": "red"}}, "footer.color", UNKNOWN),
    ],
)
def test_page__with_a_field_of_the_wrong_form__names_it(more: dict[str, Any], path: str, message: str) -> None:
    assert problems(page("cta") | more) == [(path, message)]


def test_block__of_an_unknown_type__names_all_types() -> None:
    assert problem_in("hero", type="heroo") == [("type", f"must be one of {', '.join(BLOCKS)}")]


@pytest.mark.parametrize(
    ("kind", "more", "path", "message"),
    [
        ("hero", {"headng": "x"}, "headng", UNKNOWN),
        ("hero", {"heading": ""}, "heading", "must have 1 or more characters"),
        ("hero", {"heading": LONG}, "heading", TOO_LONG),
        ("hero", {"heading": "   "}, "heading", "must have at least one visible character"),
        ("hero", {"body": "a" * 10_001}, "body", "must have at most 10000 characters"),
        ("hero", {"body": "a\0b"}, "body", CONTROLS),
        ("hero", {"body": "> " * 7 + "a"}, "body", "has lists or quotes nested more than 6 deep"),
        ("hero", {"links": [LINK] * 3}, "links", "must have at most 2 items"),
        ("hero", {"links": [LINK | {"style": "big"}]}, "links[0].style", "must be 'primary', 'secondary' or 'text'"),
        ("hero", {"links": [LINK | {"label": "a" * 81}]}, "links[0].label", "must have at most 80 characters"),
        ("hero", {"image": {"asset_id": PHOTO.id}}, "image.alt", "is required, unless decorative is true"),
        ("hero", {"image": IMAGE | {"decorative": True}}, "image.alt", "must be absent when decorative is true"),
        (
            "hero",
            {"image": {"asset_id": PHOTO.id, "decorative": False}},
            "image.alt",
            "is required, unless decorative is true",
        ),
        ("hero", {"image": {"asset_id": PHOTO.id, "decorative": 1}}, "image.decorative", "must be true or false"),
        ("hero", {"image": IMAGE | {"alt": "a" * 251}}, "image.alt", "must have at most 250 characters"),
        ("hero", {"image": IMAGE | {"src": "https://x.example/a.png"}}, "image.src", UNKNOWN),
        ("hero", {"image": {"asset_id": "https://x.example/a.png", "alt": "a"}}, "image.asset_id", UUID),
        ("hero", {"id": "Top"}, "id", SLUG),
        ("hero", {"id": "a_b"}, "id", SLUG),
        ("hero", {"id": "a" * 61}, "id", "must have at most 60 characters"),
        ("hero", {"tone": "light"}, "tone", "must be 'plain', 'muted' or 'dark'"),
        ("hero", {"hide_on": "tablet"}, "hide_on", "must be 'phone' or 'desktop'"),
        ("text", {"body": ""}, "body", "must have 1 or more characters"),
        ("features", {"items": [{"heading": "One"}]}, "items", "must have 2 or more items"),
        ("steps", {"items": [{"heading": "One"}] * 13}, "items", "must have at most 12 items"),
        ("product", {"price": -1}, "price", "must be 0.0 or more"),
        ("product", {"price": "9"}, "price", "must be a number"),
        ("product", {"price": 1e9}, "price", "must be at most 999999999.0"),
        ("product", {"currency": "EURO"}, "currency", "must be a currency code of ISO 4217, such as EUR"),
        ("comparison", {"columns": ["One"]}, "columns", "must have 2 or more items"),
        ("comparison", {"columns": list("abcde")}, "columns", "must have at most 4 items"),
        ("comparison", {"rows": []}, "rows", "must have 1 or more items"),
        (
            "comparison",
            {"rows": [{"label": "a", "cells": [1, "b"]}]},
            "rows[0].cells[0]",
            "must be a text, true or false",
        ),
        ("comparison", {"rows": [{"label": "a", "cells": [True, LONG]}]}, "rows[0].cells[1]", TOO_LONG),
        ("testimonials", {"items": []}, "items", "must have 1 or more items"),
        ("stats", {"items": [{"value": "1", "label": "a"}] * 7}, "items", "must have at most 6 items"),
        ("faq", {"items": [{"question": "a", "answer": "b"}] * 31}, "items", "must have at most 30 items"),
        ("cta", {"links": []}, "links", "must have 1 or more items"),
        ("form", {"action": "http://shop.example/"}, "action", HTTPS),
        ("form", {"action": "/contact"}, "action", HTTPS),
        ("form", {"action": "https://user:pass@shop.example/"}, "action", HTTPS),
        ("form", {"fields": []}, "fields", "must have 1 or more items"),
        ("form", {"fields": [{"name": "1", "label": "a"}]}, "fields[0].name", NAME),
        ("form", {"fields": [{"name": "a", "label": "a", "onclick": "x"}]}, "fields[0].onclick", UNKNOWN),
        (
            "form",
            {"fields": [{"name": "a", "label": "a", "options": ["x", "x"]}]},
            "fields[0].options",
            "must not contain an item twice",
        ),
    ],
)
def test_block__with_a_field_of_the_wrong_form__names_it(
    kind: str, more: dict[str, Any], path: str, message: str
) -> None:
    reported = problem_in(kind, **more)
    assert [each for each, _ in reported] == [path]
    assert reported[0][1] == message


@pytest.mark.parametrize("kind", BLOCKS)
def test_block__with_type_and_id_only__names_each_required_field(kind: str) -> None:
    reported = problems(page() | {"blocks": [{"type": kind, "id": "a"}]})
    required = {
        "blocks[0]." + (f.alias or name) for name, f in BLOCK_MODELS[kind].model_fields.items() if f.is_required()
    }
    assert {path for path, message in reported} == required - {"blocks[0].type", "blocks[0].id"}
    assert {message for _, message in reported} == {"is required"}


@pytest.mark.parametrize(
    "more", [{"radius": 0}, {"radius": 24}, {"width": 720}, {"font": "mono"}, {"font": {"asset_id": FONT.id}}]
)
def test_theme__at_its_limits__is_accepted(more: dict[str, Any]) -> None:
    assert spec_of(page("cta", theme=more)).theme != spec.Theme()


def test_seo_manifest__reads_its_fields_and_refuses_others() -> None:
    assert seo_of({"title": "Lamp", "robots": "noindex,nofollow"}) == spec.Seo(title="Lamp", robots="noindex,nofollow")
    for bad in ({}, {"title": "a" * 71}, {"title": "a", "canonical": "http://x.example/"}, {"title": "a", "og": 1}):
        with pytest.raises(ValidationError):
            seo_of(bad)


class Version(Input):
    """Body of a request with a spec."""

    spec: PageSpecInput


@pytest.mark.parametrize(
    ("more", "path", "message"),
    [
        ({"headng": "x"}, "spec.blocks[0].headng", f"{UNKNOWN}; did you mean heading?"),
        ({"image": IMAGE | {"assetId": "x"}}, "spec.blocks[0].image.assetId", f"{UNKNOWN}; did you mean asset_id?"),
        ({"onclick": "x"}, "spec.blocks[0].onclick", UNKNOWN),
    ],
)
def test_property__that_is_misspelt__gets_a_400_with_a_suggestion(
    more: dict[str, Any], path: str, message: str
) -> None:
    with pytest.raises(ValidationError) as caught:
        Version.model_validate({"spec": page() | {"blocks": [block("hero", **more)]}})
    located = [{**problem, "loc": ("body", *problem["loc"])} for problem in caught.value.errors(include_url=False)]
    error = translate(RequestValidationError(located), Version)
    assert (error.status, error.code) == (400, "unknown_property")
    assert [(field.path, field.message) for field in error.fields] == [(path, message)]
