"""Answers against the OpenAPI document: the status is documented, the headers are there, the body fits its schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry
from referencing.jsonschema import DRAFT202012

Json = Mapping[str, Any]
_ROOT = "urn:openapi"
COMMITTED = Path(__file__).parents[2] / "docs" / "api" / "openapi.json"


ANY = {"{path}": ".+"}
"""Parameters of addresses that have slashes."""


class UndocumentedAnswerError(AssertionError):
    """The API answered something that its own document does not say."""


class Contract:
    """An OpenAPI document, ready to check answers."""

    def __init__(self, document: Json) -> None:
        self.document = document
        resource = DRAFT202012.create_resource(document)
        self._registry: Registry[Any] = Registry().with_resource(_ROOT, resource)
        self._addresses = [(_pattern(path), path) for path in sorted(document["paths"], key=lambda p: p.count("{"))]
        self._validators: dict[str, Draft202012Validator] = {}

    def operations(self) -> Iterator[tuple[str, str, Json]]:
        """(method, path, operation) of every route of the management API."""
        for path, item in self.document["paths"].items():
            for method, operation in item.items():
                if isinstance(operation, Mapping) and "responses" in operation and "servers" not in item:
                    yield method.upper(), path, operation

    def schema(self, name: str) -> Json:
        """A named schema."""
        found: Json = self.document["components"]["schemas"][name]
        return found

    def resolve(self, value: Json) -> Json:
        """What a reference stands for; anything else is itself."""
        while "$ref" in value:
            found: Any = self.document
            for step in value["$ref"].removeprefix("#/").split("/"):
                found = found[step]
            value = found
        return value

    def check(self, method: str, path: str, status: int, headers: Mapping[str, str], body: bytes) -> None:
        """Raise UndocumentedAnswerError unless the document says that this route may answer so."""
        operation = self._operation(method, path)
        if operation is None:
            if status not in (404, 405):
                raise UndocumentedAnswerError(f"{method} {path} is not documented and answered {status}")
            return
        answer = operation["responses"].get(str(status))
        if answer is None:
            raise UndocumentedAnswerError(f"{method} {path} answered {status}, which is not documented: {body[:300]!r}")
        answer = self.resolve(answer)
        self._check_headers(f"{method} {path} {status}", answer, headers)
        self._check_body(f"{method} {path} {status}", answer, headers, body)

    def _operation(self, method: str, path: str) -> Json | None:
        return self.item(path).get(method.lower())

    def item(self, path: str) -> Json:
        """What the document says of an address: a literal one is not also one with an id in its place."""
        templates = (template for pattern, template in self._addresses if pattern.fullmatch(path))
        found: Json = self.document["paths"].get(next(templates, ""), {})
        return found

    def _check_headers(self, what: str, answer: Json, headers: Mapping[str, str]) -> None:
        for name, described in answer.get("headers", {}).items():
            header = self.resolve(described)
            value = headers.get(name.lower())
            if value is None and not header.get("required"):
                continue
            if value is None:
                raise UndocumentedAnswerError(f"{what} lacks the header {name}")
            schema = header["schema"]
            read: Any = int(value) if schema.get("type") == "integer" else value
            Draft202012Validator(schema).validate(read)

    def _check_body(self, what: str, answer: Json, headers: Mapping[str, str], body: bytes) -> None:
        content = answer.get("content")
        if not content:
            if body:
                raise UndocumentedAnswerError(f"{what} has a body, which is not documented")
            return
        media_type = headers.get("content-type", "").partition(";")[0]
        if media_type not in content:
            raise UndocumentedAnswerError(f"{what} is {media_type}, documented is {list(content)}")
        if media_type == "application/json":
            self._validate(what, content[media_type].get("schema", {}), json.loads(body))

    def _validate(self, what: str, schema: Json, value: Any) -> None:
        errors = list(self.validator(schema).iter_errors(value))
        if errors:
            told = "; ".join(f"{error.json_path}: {error.message[:200]}" for error in errors[:5])
            raise UndocumentedAnswerError(f"{what} does not fit its schema: {told}")

    def validator(self, schema: Json) -> Draft202012Validator:
        """A validator of a schema of this document."""
        key = json.dumps(schema, sort_keys=True)
        if key not in self._validators:
            based = json.loads(key.replace('"#/', f'"{_ROOT}#/'))
            self._validators[key] = Draft202012Validator(
                based, registry=self._registry, format_checker=FormatChecker(["uuid", "date-time"])
            )
        return self._validators[key]


@cache
def contract() -> Contract:
    """The committed document, which the lint holds to be what the routes make: to make it takes four seconds."""
    return Contract(json.loads(COMMITTED.read_text(encoding="utf-8")))


def _pattern(template: str) -> re.Pattern[str]:
    return re.compile(
        "".join(
            ANY.get(part, "[^/]+") if part.startswith("{") else re.escape(part)
            for part in re.split(r"(\{[^}]+\})", template)
        )
    )
