"""The OpenAPI document explains itself: names, descriptions, summaries, tags."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from abtest.domain.webhooks.catalogue import EVENTS
from tests.support.openapi import contract
from tools.openapi import gaps_of
from tools.reference.descriptions import Descriptions
from tools.reference.examples import Examples
from tools.reference.names import NAMES, renamed
from tools.reference.operations import operations
from tools.reference.overview import TAGS

Json = Mapping[str, Any]


@pytest.fixture(scope="module")
def document() -> Json:
    return contract().document


def properties(document: Json) -> Iterator[tuple[str, Json]]:
    for name, schema in document["components"]["schemas"].items():
        yield from properties_in(name, schema)


def properties_in(path: str, schema: Json) -> Iterator[tuple[str, Json]]:
    """Yield the properties of a schema and of its parts, which may be conditions or alternatives."""
    for key, part in schema.get("properties", {}).items():
        yield f"{path}.{key}", part
        yield from properties_in(f"{path}.{key}", part)
    parts = [(word, part) for word in ("allOf", "anyOf", "oneOf") for part in schema.get(word, ())]
    parts += [(word, schema[word]) for word in ("items", "additionalProperties") if isinstance(schema.get(word), dict)]
    for number, (word, part) in enumerate(parts):
        yield from properties_in(f"{path}.{word}[{number}]", part)


def test_schemas__by_name__have_their_name_as_title_and_no_module_in_it(document: Json) -> None:
    schemas = document["components"]["schemas"]
    assert [name for name in schemas if not re.fullmatch("[A-Z][A-Za-z0-9]+", name)] == []
    assert [name for name, schema in schemas.items() if schema["title"] != name] == []
    assert [name for name, schema in schemas.items() if not schema.get("description")] == []
    assert "ExperimentList" in schemas


def test_properties__of_every_schema__are_described_also_where_they_are_references(document: Json) -> None:
    every = dict(properties(document))
    assert len(every) > 1500
    assert [name for name, part in every.items() if not part.get("description")] == []
    assert every["Checklist.items"]["description"]
    assert every["PublishFailedEnvelope.refresh"].keys() == {"$ref", "description"}


def test_operations__all__have_ids_summaries_descriptions_and_described_answers(document: Json) -> None:
    every = list(operations(dict(document)))
    ids = Counter(operation["operationId"] for operation in every)
    assert [name for name, times in ids.items() if times > 1 or not re.fullmatch("[a-z][A-Za-z]+", name)] == []
    for operation in every:
        name = operation["operationId"]
        assert " " in operation["summary"], name
        assert operation["description"], name
        parameters = [contract().resolve(parameter) for parameter in operation.get("parameters", [])]
        assert [parameter["name"] for parameter in parameters if not parameter.get("description")] == [], name
        answers = {status: contract().resolve(answer) for status, answer in operation["responses"].items()}
        unclear = ("", "Successful Response", "Done.")
        assert [status for status, answer in answers.items() if answer["description"] in unclear] == [], name
        headers = {
            key: contract().resolve(part) for a in answers.values() for key, part in a.get("headers", {}).items()
        }
        assert [key for key, part in headers.items() if not part.get("description")] == [], name


def test_parameters__all__have_an_example(document: Json) -> None:
    parameters = [contract().resolve(each) for one in operations(dict(document)) for each in one.get("parameters", [])]
    named = {parameter["name"]: parameter for parameter in parameters}
    assert named.keys() >= {"cursor", "If-Match", "If-None-Match", "Idempotency-Key"}
    assert [parameter["name"] for parameter in parameters if "example" not in parameter] == []


def test_tags__in_the_order_of_use__are_described_and_end_with_the_edge(document: Json) -> None:
    assert [tag["name"] for tag in document["tags"]] == list(TAGS)
    assert all(tag["description"] for tag in document["tags"])
    assert list(TAGS)[-1] == "Edge"
    used = [tag for operation in operations(dict(document)) for tag in operation["tags"]]
    assert set(used) == TAGS.keys()


def test_bodies__that_may_be_omitted__are_described_as_the_object_alone(document: Json) -> None:
    bodies = [operation["requestBody"] for operation in operations(dict(document)) if "requestBody" in operation]
    optional = [body["content"]["application/json"]["schema"] for body in bodies if not body.get("required")]
    assert len(optional) == 25
    assert [schema for schema in optional if schema.keys() != {"$ref"}] == [], "generated clients cannot omit them"


def test_lists__of_any_kind__document_invalid_cursor(document: Json) -> None:
    with_cursor = [
        operation
        for operation in operations(dict(document))
        if "cursor" in {parameter.get("name") for parameter in operation.get("parameters", [])}
    ]
    assert len(with_cursor) > 15
    assert all("`invalid_cursor`" in operation["responses"]["400"]["description"] for operation in with_cursor)


def test_idempotent_routes__documented__have_the_header_of_a_stored_response(document: Json) -> None:
    created = document["paths"]["/experiments"]["post"]["responses"]["201"]
    assert created["headers"]["Idempotent-Replayed"] == {"$ref": "#/components/headers/Idempotent-Replayed"}
    assert document["components"]["headers"]["Idempotent-Replayed"]["required"] is False
    assert "Idempotent-Replayed" not in document["paths"]["/experiments"]["get"]["responses"]["200"]["headers"]


def test_renamed__to_a_name_that_is_taken__is_refused() -> None:
    old, new = next(iter(NAMES.items()))
    with pytest.raises(ValueError, match=new):
        renamed({"components": {"schemas": {old: {}, new: {}}}, "paths": {}})


def test_generator__with_a_property_that_no_text_describes__names_it(tmp_path: Path) -> None:
    (tmp_path / "texts.toml").write_text('[common]\nname = "Name for people."\n[Plant]\nsize = "Height."\n')
    descriptions = Descriptions(tmp_path)
    plant: dict[str, Any] = {"type": "object", "properties": {"name": {}, "colour": {}}}
    made = {
        "paths": {"/plants": {"get": {"operationId": "x", "tags": ["Plants"]}}},
        "components": {"schemas": {"Plant": plant}},
    }
    descriptions.describe(made)
    assert plant["properties"]["name"] == {"description": "Name for people."}
    gaps = "\n".join(gaps_of(made, descriptions, Examples(made)))
    assert "Plant.colour has no description" in gaps
    assert "[Plant] size" in gaps
    assert "the tag Plants" in gaps


def test_examples__of_every_body_answer_parameter_and_property__fit_their_schemas(document: Json) -> None:
    wrong = [
        f"{place}: {error.message[:200]}"
        for place, schema, value in examples(document)
        for error in contract().validator(schema).iter_errors(value)
    ]
    assert wrong == []


def test_examples__in_json__are_at_every_body_and_answer(document: Json) -> None:
    for operation in operations(dict(document)):
        answers = [contract().resolve(answer) for answer in operation["responses"].values()]
        for part in [operation.get("requestBody", {}), *answers]:
            for media in part.get("content", {}).values():
                assert "example" in media or media.get("examples"), operation["operationId"]


def test_example__of_a_text_without_a_value__is_reported() -> None:
    plant = {"type": "object", "properties": {"leaf_form": {"type": "string"}}}
    components = {"schemas": {"Plant": plant}, "responses": {}}
    made: dict[str, Any] = {"paths": {}, "components": components}
    made_examples = Examples(made)
    made_examples.add()
    assert made_examples.gaps == ["Plant.leaf_form"]


def test_webhooks__of_the_catalogue__are_all_in_the_document_with_their_bodies(document: Json) -> None:
    assert document["webhooks"].keys() == EVENTS.keys()
    for name, item in document["webhooks"].items():
        operation = item["post"]
        body = contract().resolve(operation["requestBody"]["content"]["application/json"]["schema"])
        example = body["examples"][0]
        assert example["event"] == name
        assert not list(Draft202012Validator(EVENTS[name].schema).iter_errors(example))
        headers = {contract().resolve(parameter)["name"] for parameter in operation["parameters"]}
        assert {"webhook-signature", "webhook-id", "webhook-timestamp", "X-Service-Signature"} <= headers


def examples(document: Json) -> Iterator[tuple[str, Json, Any]]:
    """Each example of the document with its place and its schema."""
    for name, schema in document["components"]["schemas"].items():
        yield from ((name, {"$ref": f"#/components/schemas/{name}"}, value) for value in schema.get("examples", ()))
    for name, part in properties(document):
        yield from ((name, part, value) for value in part.get("examples", ()))
    for operation in operations(dict(document)):
        name = operation["operationId"]
        for parameter in operation.get("parameters", ()):
            if "example" in parameter:
                yield f"{name} {parameter['name']}", parameter["schema"], parameter["example"]
        answers = {status: contract().resolve(answer) for status, answer in operation["responses"].items()}
        for place, part in {"body": operation.get("requestBody", {}), **answers}.items():
            for media in part.get("content", {}).values():
                values = [contract().resolve(example)["value"] for example in media.get("examples", {}).values()]
                values += [media["example"]] if "example" in media else []
                yield from ((f"{name} {place}", media["schema"], value) for value in values)
