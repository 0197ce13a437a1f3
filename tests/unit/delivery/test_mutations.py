"""What a selector depends on, as browsers are told."""

from typing import Any

import pytest

from abtest.domain.delivery.mutations import kind_of, normalised, without_kinds
from tests.support.any_json import any_json

KINDS = [
    ("h1.title", 0),
    ("[class~=a] > p", 0),
    ("[title='a b']", 0),
    ("[title='a + b:nth-child(2)']", 8),
    ("", 8),
    ("h1[", 8),
    ("h1[title", 8),
    ("h1:is(.a", 8),
    ("h1/* a", 8),
    ("h1\\", 8),
    ("[title='a]", 8),
    ('[title="a]"]', 8),
    ("h1:not(.a)", 8),
    ("h\u00fc", 8),
    ("h1\n.a", 8),
    ("li:nth-child(3)", 1),
    (".a + .b", 1),
    ("li:first-of-type a", 1),
    ("li:nth-child( 2 )", 1),
    ("li:nth-child(odd)", 3),
    ("li:nth-child(3n+1)", 3),
    ("li:last-child", 3),
    ("p:only-of-type", 3),
    (".a + .b:last-child", 3),
    (".card:has(img)", 4),
    (".card:has(img):first-child", 5),
    (".card:has(img):nth-child(even)", 7),
    (".card:has(> img)", 12),
]


@pytest.mark.parametrize(("selector", "expected"), KINDS)
def test_selector__has_the_kind_that_says_what_it_depends_on(selector: str, expected: int) -> None:
    assert kind_of(selector) == expected


def test_mutation__of_a_plain_selector__carries_no_kind() -> None:
    plain, placed = {"selector": "p", "action": "remove"}, {"selector": "p:nth-child(2)", "action": "remove"}
    compiled = normalised(any_json([plain, placed]))
    assert compiled == [plain, placed | {"kind": 1}]
    assert without_kinds(compiled) == [plain, placed]


@pytest.mark.parametrize(
    ("mutation", "payload"),
    [
        ({"action": "setText", "text": ""}, {"text": ""}),
        ({"action": "html", "html": ""}, {"html": ""}),
        ({"action": "insertBefore", "html": ""}, {"html": ""}),
        ({"action": "setStyle", "styles": {}}, {"styles": {}}),
        ({"action": "attribute", "attributes": {}}, {"attributes": {}}),
        ({"action": "attribute", "attribute": {"name": "title", "value": None}}, {"attributes": {"title": None}}),
    ],
)
def test_mutation__to_empty_content__is_published_with_its_field(mutation: Any, payload: Any) -> None:
    (published,) = normalised(any_json([{"selector": "h1", **mutation}]))
    assert published == {"selector": "h1", "action": published["action"], **payload}


def test_styles__in_any_order__have_shorthands_before_what_they_are_short_for() -> None:
    camel, kebab = ["borderRadius", "alignItems"], ["inset", "bottom", "gap", "column-gap", "place-items", "border"]
    stored = dict.fromkeys(sorted([*camel, *kebab, "border-bottom-left-radius"]), "0")
    (mutation,) = normalised([{"selector": "h1", "action": "style", "styles": stored}])
    names = list(mutation["styles"])
    for short, long in (
        ("inset", "bottom"),
        ("gap", "column-gap"),
        ("place-items", "align-items"),
        ("border", "border-radius"),
        ("border-radius", "border-bottom-left-radius"),
    ):
        assert names.index(short) < names.index(long)
