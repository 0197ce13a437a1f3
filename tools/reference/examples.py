"""Examples of values, bodies and answers, put at the schemas and media types of the document.

`examples/values.toml` has values of properties by name, for one schema or for all (`common`); `examples/ids.toml` has
ids; `examples/bodies.json` has whole bodies where composed ones would make no sense. Everything else is composed from
the properties. Tests validate each example against its schema, and compare moments and ids of each object.
"""

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from abtest.http.openapi_parts import REASONS, SHARED
from tools.reference.operations import operations

Json = dict[str, Any]
FOLDER = Path(__file__).parent / "examples"
SCHEMAS = "#/components/schemas/"
COMMON, PARAMETERS = "common", "parameters"

_MOMENT = "2026-11-21T20:15:00.000Z"
_TEXTS = {"text/html": "<!doctype html><title>…</title>", "application/javascript": "/* … */"}
_PLAIN = ("string", "integer", "number")
_STATUSES = {name: status for status, name in SHARED.items()}
_REQUEST_ID = "0192f3a01b5c7d1e8f003c5a7e9b1d2f"


@dataclass
class Examples:
    """Examples by schema and property, for one document."""

    document: Json
    folder: Path = FOLDER
    gaps: list[str] = field(default_factory=list)
    composed: Json = field(default_factory=dict)

    @cached_property
    def values(self) -> Mapping[str, Mapping[str, Any]]:
        """Values of properties by section and name."""
        return tomllib.loads((self.folder / "values.toml").read_text())

    @cached_property
    def ids(self) -> Mapping[str, Mapping[str, str]]:
        """Ids by name, and the names of ids by schema: one object has one id in every example."""
        return tomllib.loads((self.folder / "ids.toml").read_text())

    @cached_property
    def bodies(self) -> Json:
        """Whole examples by schema."""
        bodies: Json = json.loads((self.folder / "bodies.json").read_text())
        return {name: _with_shared(body, bodies) for name, body in bodies.items()}

    def add(self) -> None:
        """Put examples at every property with a plain value, and at every body, answer and parameter."""
        for name, schema in self._schemas.items():
            for key, part in schema.get("properties", {}).items():
                if _is_plain(part) and not part.get("examples"):
                    part["examples"] = [self._value(name, key, part)]
            if name in self.bodies:
                schema["examples"] = [self.bodies[name]]
        for operation in operations(self.document):
            self._add_to(operation)
        for webhook in self.document.get("webhooks", {}).values():
            self._add_to_body(webhook["post"])
        for name, answer in self.document["components"]["responses"].items():
            self._add_to_answer(_STATUSES[name.removesuffix("Open")], answer)

    def _add_to(self, operation: Json) -> None:
        for parameter in operation.get("parameters", ()):
            if "$ref" not in parameter:
                parameter["example"] = self._value(PARAMETERS, parameter["name"], parameter["schema"])
        self._add_to_body(operation)
        for status, answer in operation["responses"].items():
            self._add_to_answer(int(status), answer)

    def _add_to_body(self, operation: Json) -> None:
        for media in operation.get("requestBody", {}).get("content", {}).values():
            self._add_to_media(media)

    def _add_to_answer(self, status: int, answer: Json) -> None:
        for kind, media in answer.get("content", {}).items():
            if kind in _TEXTS:
                media["example"] = _TEXTS[kind]
            elif kind == "application/json":
                self._add_to_media(media, status, answer["description"])

    def _add_to_media(self, media: Json, status: int = 0, about: str = "") -> None:
        """Refer to one example in the components: an answer of many routes has its example once."""
        schema = next((form for form in media["schema"].get("anyOf", ()) if form != {"type": "null"}), media["schema"])
        name = schema.get("$ref", "").removeprefix(SCHEMAS)
        if not name:
            media["example"] = schema["examples"][0] if schema.get("examples") else self._of("", "", schema)
            return
        value = self._whole(name)
        if status >= 400 and name.endswith(("Envelope", "Error")):
            name, value = _refusal(name, value, status, about)
        self.document["components"].setdefault("examples", {})[name] = {"summary": name, "value": value}
        media["examples"] = {name: {"$ref": f"#/components/examples/{name}"}}

    @property
    def _schemas(self) -> Json:
        schemas: Json = self.document["components"]["schemas"]
        return schemas

    def _whole(self, name: str) -> Any:
        if name not in self.composed:
            schema = self._schemas[name]
            given = [self.bodies[name]] if name in self.bodies else schema.get("examples")
            self.composed[name] = given[0] if given else self._of(name, "", schema)
        return self.composed[name]

    def _value(self, section: str, name: str, schema: Json) -> Any:
        sections = [section] if section == PARAMETERS or not _is_plain(schema) else [section, COMMON]
        # The format of a text already shows how it looks; only a schema's own value is more exact.
        if _formatted(schema):
            sections = [section] if section != PARAMETERS else []
        values = next((values for part in sections if name in (values := self.values.get(part, {}))), None)
        return values[name] if values else self._of(section, name, schema)

    def _of(self, section: str, name: str, schema: Json) -> Any:
        """Compose a value of a schema: of an object its required properties, of a list one item."""
        if "$ref" in schema:
            return self._whole(schema["$ref"].removeprefix(SCHEMAS))
        if given := [schema[word] for word in ("examples", "enum") if word in schema]:
            return given[0][0]
        if "const" in schema:
            return schema["const"]
        forms = schema.get("anyOf", ()) if "properties" not in schema else ()
        if forms and {"type": "null"} in forms and not (_is_plain(schema) or "$ref" in forms[0]):
            return None
        return self._of(section, name, forms[0]) if forms else self._by_type(section, name, schema)

    def _by_type(self, section: str, name: str, schema: Json) -> Any:
        kind = schema.get("type", "object")
        kind = kind[0] if isinstance(kind, list) else kind
        if kind == "object":
            ways = [part["anyOf"][0] for part in schema.get("allOf", ()) if "anyOf" in part]
            required = [name for part in (schema, *ways) for name in part.get("required", ())]
            properties = schema.get("properties", {})
            return {key: self._member(section, key, properties[key]) for key in properties if key in required}
        if kind == "array":
            is_optional = "anyOf" in schema.get("items", {}) and not schema.get("minItems")
            return [] if is_optional or not schema.get("items") else [self._value(section, name, schema["items"])]
        if kind == "string":
            return self._text(section, name, schema)
        return {"boolean": True, "integer": schema.get("minimum", 1), "number": schema.get("minimum", 0.5)}[kind]

    def _member(self, section: str, name: str, schema: Json) -> Any:
        if name in self.values["unset"]["names"] and {"type": "null"} in schema.get("anyOf", ()):
            return None
        return self._value(section, name, schema)

    def _text(self, section: str, name: str, schema: Json) -> str:
        form = schema.get("format")
        if form == "date-time":
            return _MOMENT
        if form == "uuid":
            known = self.ids["schemas"].get(section, name) if name == "id" else name
            return self.ids["names"].get(known, f"0192f3a0-1b5c-7d1e-8f00-{sha256(name.encode()).hexdigest()[:12]}")
        self.gaps.append(f"{section}.{name}")
        return name


def _with_shared(value: Any, bodies: Json) -> Any:
    """Return a body with what it shares with others: `{"like": "Goal"}` stands for the body of Goal."""
    if isinstance(value, list):
        return [_with_shared(item, bodies) for item in value]
    if not isinstance(value, dict):
        return value
    shared = _with_shared(bodies[value["like"]], bodies) if "like" in value else {}
    return shared | {key: _with_shared(part, bodies) for key, part in value.items() if key != "like"}


def _is_plain(schema: Json) -> bool:
    """Return whether a property is a text or a number without a list of its values."""
    forms = [form for form in (schema, *schema.get("anyOf", ())) if form.get("type") != "null" and "anyOf" not in form]
    kinds = [form.get("type") for form in forms]
    listed = any({"enum", "const"} & form.keys() for form in forms)
    return bool(kinds) and not listed and all(kind in _PLAIN for kind in kinds)


def _formatted(schema: Json) -> bool:
    """Return whether the format of a text already shows how an example looks."""
    return any(form.get("format") in ("date-time", "uuid") for form in (schema, *schema.get("anyOf", ())))


def _refusal(name: str, value: Json, status: int, about: str) -> tuple[str, Json]:
    """Return name and value of the example of an error: the first code of the answer."""
    code = about.partition("`")[2].partition("`")[0]
    if name == "WorkerError":
        return f"{name}.{code}", value | {"error": code}
    error = value["error"] | {"code": code, "status": status, "message": REASONS[status], "request_id": _REQUEST_ID}
    return code if name == "ErrorEnvelope" else f"{name}.{code}", value | {"error": error}
