"""Examples of the OpenAPI document agree with each other: one object has one id, and the moments of one state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from tests.support.openapi import contract

Json = Mapping[str, Any]
SCHEMAS = "#/components/schemas/"
ORDER = (
    ("created_at", "updated_at"),
    ("created_at", "started_at"),
    ("created_at", "completed_at"),
    ("created_at", "processing_started_at"),
    ("created_at", "last_used_at"),
    ("created_at", "archived_at"),
    ("processing_started_at", "delivered_at"),
    ("delivered_at", "updated_at"),
    ("started_at", "ended_at"),
    ("detected_at", "resolved_at"),
    ("completed_at", "url_expires_at"),
    ("from", "to"),
    ("start", "end"),
)
"""Pairs of moments of one object, the earlier one first."""

STATES: Mapping[str, frozenset[str]] = {
    "started_at": frozenset({"running", "paused", "completed"}),
    "ended_at": frozenset({"completed"}),
    "completed_at": frozenset({"completed", "failed", "cancelled"}),
    "url_expires_at": frozenset({"completed"}),
    "delivered_at": frozenset({"delivered"}),
    "error": frozenset({"failed"}),
    "next_attempt_at": frozenset({"queued", "failed"}),
}
"""Properties that have a value in these states of their object and in no other."""

IDS: Mapping[str, str] = {
    "ApiKey": "key_id",
    "Audience": "audience_id",
    "ExclusionGroup": "group_id",
    "Experiment": "experiment_id",
    "Export": "export_id",
    "FeatureFlag": "flag_id",
    "Goal": "goal_id",
    "Page": "page_id",
    "Personalization": "personalization_id",
    "ReportExperiment": "experiment_id",
    "Shop": "shop_id",
    "ShopSummary": "shop_id",
    "Webhook": "webhook_id",
    "WebhookDelivery": "delivery_id",
    "WebhookDeliveryDetail": "delivery_id",
}
"""Schemas of main resources, and the name of their ids elsewhere."""

OTHERS = {"event_id", "id", "public_id", "request_id", "user_id", "variation_id"}
"""Names of ids of several objects: `id` is compared by schema, users and variations are two in some examples."""

ALIASES = {
    "_shopId": "shop_id",
    "shopId": "shop_id",
    "project_id": "shop_id",
    "screenshot_job_id": "job_id",
    "entity_id": "experiment_id",
    "current_version_id": "version_id",
    "published_version_id": "version_id",
}


def objects(schema: Json, value: Any) -> Iterator[tuple[str, Json]]:
    """Yield each object of an example with the name of its schema."""
    name = schema.get("$ref", "").removeprefix(SCHEMAS)
    schema = contract().resolve(schema)
    for form in schema.get("anyOf", ()) if "properties" not in schema else ():
        if contract().validator(form).is_valid(value):
            yield from objects(form, value)
            return
    for item in value if isinstance(value, list) else ():
        yield from objects(schema.get("items", {}), item)
    if isinstance(value, Mapping):
        yield name, value
        for key, part in value.items():
            yield from objects(schema.get("properties", {}).get(key, {}), part)


def every_example() -> list[tuple[str, Json]]:
    document = contract().document
    media = [
        content
        for items in (document["paths"], document["webhooks"])
        for item in items.values()
        for operation in item.values()
        if isinstance(operation, Mapping)
        for part in (operation.get("requestBody", {}), *map(contract().resolve, operation["responses"].values()))
        for content in part.get("content", {}).values()
    ]
    examples = [
        (each["schema"], contract().resolve(one)["value"])
        for each in media
        for one in each.get("examples", {}).values()
    ]
    return [each for schema, value in examples for each in objects(schema, value)]


@pytest.fixture(scope="module")
def examples() -> list[tuple[str, Json]]:
    return every_example()


def test_moments__of_an_object__are_in_order(examples: list[tuple[str, Json]]) -> None:
    pairs = [(name, each, pair) for name, each in examples for pair in ORDER if all(map(each.get, pair))]
    moments = [(name, *(each[key] for key in pair)) for name, each, pair in pairs if each[pair[0]].startswith("20")]
    assert len(moments) > 50
    assert {each for each in moments if each[1] > each[2]} == set()
    empty = {
        name
        for name, each, pair in pairs
        if pair in (("from", "to"), ("start", "end")) and len({*map(each.get, pair)}) == 1
    }
    assert empty == set()


def test_state__of_an_object__has_its_own_moments_only(examples: list[tuple[str, Json]]) -> None:
    wrong = {
        f"{name}.{key} is {each[key]} while {each['status']}"
        for name, each in examples
        if isinstance(each.get("status"), str)
        for key, states in STATES.items()
        if key in each and (each[key] is not None) is not (each["status"] in states)
    }
    assert wrong == set()


def test_objects__in_use__are_neither_archived_nor_disabled_nor_revoked(examples: list[tuple[str, Json]]) -> None:
    ends = ("archived_at", "archived_by", "disabledAt", "revoked_at", "rotated_to", "redelivery_of")
    assert {f"{name}.{key}" for name, each in examples for key in ends if each.get(key) is not None} == set()


def test_ids__of_an_object__are_the_same_in_every_example(examples: list[tuple[str, Json]]) -> None:
    ids: dict[str, set[str]] = defaultdict(set)
    for schema, each in examples:
        for key, value in each.items():
            name = ALIASES.get(key, IDS.get(schema, key) if key == "id" else key)
            if isinstance(value, str) and name.endswith("_id") and name not in OTHERS:
                ids[name].add(value)
    assert len(ids) > 15
    assert {name: values for name, values in ids.items() if len(values) > 1} == {}
    assert len(set().union(*ids.values())) == len(ids), "two kinds of objects have one id"


@pytest.mark.parametrize("schema", IDS)
def test_main_resource__has_an_example(schema: str, examples: list[tuple[str, Json]]) -> None:
    assert schema in {name for name, _ in examples}
