"""Values from schemas: one that fits, and ones that do not, each with the place and the reason."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tests.support.openapi import Contract

Json = Mapping[str, Any]
CANDIDATES: tuple[Any, ...] = (12345, 1.5, -7, True, "a text", "", [], {}, [[]], None)
UNREADABLE = ("  ", "\u200b\u3164", "a\nb", "a\x00b", "a\x9bb", "safe\u202etxt.exe", "\u2067a", "\U000e0041", "a\uffff")
"""Texts that no list can show: blank, with control characters, noncharacters or overrides of the writing direction."""
DEEPEST = 4
SOME_ID = "0192e4a0-0000-7000-8000-000000000000"


@dataclass(frozen=True)
class Fault:
    """A body that is wrong in one place: the path under which the API must name it."""

    reason: str
    path: str
    body: Any

    def __str__(self) -> str:
        return f"{self.path or 'body'}: {self.reason}"


@dataclass(frozen=True)
class Place:
    """Where a schema stands inside a body: its path, and how to put a value there."""

    path: str
    steps: tuple[str | int, ...]

    def step(self, name: str | int) -> Place:
        shown = f"[{name}]" if isinstance(name, int) else f".{name}" if self.path else str(name)
        return Place(self.path + shown, (*self.steps, name))


class Examples:
    """What to send, by the schemas of one document."""

    def __init__(self, contract: Contract) -> None:
        self._contract = contract

    def fitting(self, schema: Json) -> Any:
        """A small value that fits the schema."""
        schema = self._plain(schema)
        for word in ("examples", "enum"):
            if word in schema:
                return schema[word][0]
        if "const" in schema:
            return schema["const"]
        if "properties" in schema:
            return self._object(schema)
        for word in ("anyOf", "oneOf"):
            if word in schema:
                return self.fitting(next(form for form in schema[word] if form.get("type") != "null"))
        return self._by_type(schema)

    def faults(self, schema: Json) -> Iterator[Fault]:
        """Bodies that break one thing each, anywhere in the schema."""
        for place, part, required in self._places(Place("", ()), schema, DEEPEST):
            for reason, value in self._wrong(part, is_root=not place.steps):
                yield Fault(reason, place.path, self._put(schema, place, value))
            if part.get("additionalProperties") is False:
                value = {**self._object(part), "no_such_property": 1}
                path = place.step("no_such_property").path
                yield Fault("unknown property", path, self._put(schema, place, value))
            for name in required if "x-ways" not in part else []:
                value = {key: item for key, item in self._object(part).items() if key != name}
                yield Fault("missing", place.step(name).path, self._put(schema, place, value))

    def borders(self, schema: Json) -> Iterator[Fault]:
        """Bodies whose value lies exactly on a limit: the API must not name it."""
        for place, part, _ in self._places(Place("", ()), schema, DEEPEST):
            for reason, value in self._at_limits(part):
                yield Fault(reason, place.path, self._put(schema, place, value))

    def _places(self, place: Place, schema: Json, depth: int) -> Iterator[tuple[Place, Json, list[str]]]:
        schema = self._plain(schema)
        yield place, schema, list(schema.get("required", []))
        if depth == 0:
            return
        for name, part in schema.get("properties", {}).items():
            yield from self._places(place.step(name), part, depth - 1)
        if isinstance(schema.get("items"), Mapping):
            yield from self._places(place.step(0), schema["items"], depth - 1)

    def _wrong(self, schema: Json, *, is_root: bool) -> Iterator[tuple[str, Any]]:
        validator = self._contract.validator({key: value for key, value in schema.items() if not key.startswith("x-")})
        for value in (*CANDIDATES, *(UNREADABLE if "pattern" in schema else ())):
            if (value is None and (schema.get("x-nullable") or is_root)) or (is_root and isinstance(value, Mapping)):
                continue
            if not validator.is_valid(value):
                yield f"{value!r} does not fit", value
        for reason, value in self._past_limits(schema):
            if not validator.is_valid(value):
                yield reason, value

    def _past_limits(self, schema: Json) -> Iterator[tuple[str, Any]]:
        if "maxLength" in schema:
            yield "one character too long", "x" * (schema["maxLength"] + 1)
        if schema.get("minLength", 0) > 0:
            yield "one character too short", "x" * (schema["minLength"] - 1)
        if "maximum" in schema:
            yield "over the maximum", schema["maximum"] + 1
            yield "a little over the maximum", schema["maximum"] + 1e-6
        if "minimum" in schema:
            yield "under the minimum", schema["minimum"] - 1
        if "exclusiveMinimum" in schema:
            yield "on the open minimum", schema["exclusiveMinimum"]
        if "maxItems" in schema:
            yield "one item too many", [self.fitting(schema["items"])] * (schema["maxItems"] + 1)
        if schema.get("minItems", 0) > 0:
            yield "one item too few", [self.fitting(schema["items"])] * (schema["minItems"] - 1)

    def _at_limits(self, schema: Json) -> Iterator[tuple[str, Any]]:
        if schema.get("type") == "string" and not {"format", "enum"} & set(schema):
            for word in ("minLength", "maxLength"):
                if word in schema and re.search(schema.get("pattern", ""), "x" * schema[word]):
                    yield f"exactly {word}", "x" * schema[word]
        for word in ("minimum", "maximum"):
            if word in schema:
                exact = int(schema[word]) if schema.get("type") == "integer" else schema[word]
                yield f"exactly {word}", exact

    def _put(self, schema: Json, place: Place, value: Any) -> Any:
        """A body of the schema in which the place holds the value, and what leads there is there."""
        return self._build(schema, place.steps, value)

    def _build(self, schema: Json, steps: tuple[str | int, ...], value: Any) -> Any:
        if not steps:
            return value
        schema = self._plain(schema)
        if "properties" not in schema and "items" not in schema:
            return self._build(schema["anyOf"][0], steps, value)
        head, rest = steps[0], steps[1:]
        if isinstance(head, int):
            return [self._build(schema["items"], rest, value)]
        part = schema["properties"][head]
        return {**self._object(schema), head: self._build(part, rest, value)}

    def _plain(self, schema: Json) -> Json:
        """The schema behind references and behind "or null"; the first of several ways to complete an object."""
        schema = self._contract.resolve(schema)
        ways = [way for part in schema.get("allOf", []) for way in part.get("anyOf", [])]
        if "properties" in schema and ways:
            required = [*schema.get("required", []), *ways[0].get("required", [])]
            return {**schema, "required": required, "x-ways": True}
        forms = [form for form in schema.get("anyOf", []) if form.get("type") != "null"]
        if len(forms) == 1:
            nullable = len(forms) < len(schema["anyOf"])
            return {**self._plain(forms[0]), "x-nullable": nullable}
        return schema

    def _object(self, schema: Json) -> dict[str, Any]:
        properties = schema.get("properties", {})
        return {name: self.fitting(properties[name]) for name in schema.get("required", [])}

    def _by_type(self, schema: Json) -> Any:
        kind = schema.get("type")
        if kind == "object":
            return self._map(schema)
        if kind == "array":
            return [self.fitting(schema["items"])] * max(1, schema.get("minItems", 0))
        if kind in ("integer", "number"):
            return schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
        if kind == "boolean":
            return False
        return self._text(schema)

    def _map(self, schema: Json) -> dict[str, Any]:
        form = schema.get("additionalProperties")
        if not isinstance(form, Mapping):
            return {}
        return {f"{SOME_ID[:-1]}{n}": self.fitting(form) for n in range(schema.get("minProperties", 0))}

    def _text(self, schema: Json) -> str:
        by_format = {
            "uuid": SOME_ID,
            "date-time": "2027-01-31T09:30:00Z",
            "hostname": "shop.example",
            "uri": "https://shop.example/page",
        }
        if schema.get("format") in by_format:
            return by_format[schema["format"]]
        texts = ("x" * max(3, int(schema.get("minLength", 0))), SOME_ID)
        fitting = next((text for text in texts if re.search(schema.get("pattern", ""), text)), None)
        assert fitting is not None, f"a field with a pattern needs examples: {schema}"
        return fitting
