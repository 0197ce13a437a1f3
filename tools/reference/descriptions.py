"""Descriptions of properties and parameters, from the files in `descriptions/`, put where a schema has none.

A section of a file is a schema by its name in the document and describes its properties, also those of its inline
parts. `common` describes properties that mean the same in every schema, `parameters` those of requests. A description
in the code wins over `common`, and a section wins over both.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from tools.reference.operations import operations

Json = dict[str, Any]
FOLDER = Path(__file__).parent / "descriptions"
COMMON, PARAMETERS = "common", "parameters"


@dataclass
class Descriptions:
    """The texts by section and name, and which of them were used."""

    folder: Path = FOLDER
    used: set[tuple[str, str]] = field(default_factory=set)
    missing: list[str] = field(default_factory=list)

    @cached_property
    def texts(self) -> Mapping[tuple[str, str], str]:
        """All texts. Raises ValueError when two files have one section."""
        sections: dict[str, Mapping[str, str]] = {}
        for path in sorted(self.folder.glob("*.toml")):
            content = tomllib.loads(path.read_text())
            if doubled := sections.keys() & content.keys():
                raise ValueError(f"{path.name} repeats sections of another file: {', '.join(sorted(doubled))}")
            sections |= content
        return {(section, name): text for section, texts in sections.items() for name, text in texts.items()}

    def unused(self) -> list[str]:
        """Return the texts of properties that no schema has any more."""
        return [f"[{section}] {name}" for section, name in sorted(self.texts.keys() - self.used)]

    def describe(self, document: Json) -> None:
        """Put a description at every property and parameter of the document."""
        for section, schema in document["components"]["schemas"].items():
            self._describe_properties(section, schema)
        for operation in operations(document):
            for parameter in operation.get("parameters", ()):
                if "$ref" not in parameter:
                    self._describe(PARAMETERS, parameter["name"], parameter, (operation["operationId"], PARAMETERS))

    def _describe_properties(self, section: str, schema: Any) -> None:
        for part in _parts(schema):
            for name, inner in part.get("properties", {}).items():
                self._describe(f"{section}.{name}", name, inner, (section, COMMON))
        _repeat_in_conditions(schema, schema.get("properties", {}))

    def _describe(self, where: str, name: str, target: Json, sections: tuple[str, str]) -> None:
        own, shared = ((section, name) for section in sections)
        if own in self.texts:
            self.used.add(own)
            target["description"] = self.texts[own]
        elif not target.get("description") and shared in self.texts:
            self.used.add(shared)
            target["description"] = self.texts[shared]
        if not target.get("description"):
            self.missing.append(where if where != PARAMETERS else f"{sections[0]}: {name}")


def _repeat_in_conditions(schema: Json, described: Json) -> None:
    """Put descriptions also at properties in parts without a type, which only add conditions to those of the whole."""
    for word in ("anyOf", "oneOf", "allOf"):
        for part in schema.get(word, ()):
            for name, inner in part.get("properties", {}).items():
                if "description" in described.get(name, {}):
                    inner.setdefault("description", described[name]["description"])
            _repeat_in_conditions(part, described)


def _parts(schema: Any) -> Iterator[Json]:
    """Yield a schema and the schemas inside it."""
    if isinstance(schema, list):
        for item in schema:
            yield from _parts(item)
    elif isinstance(schema, dict):
        # A part without a type only adds conditions to properties that the whole describes.
        if "type" in schema:
            yield schema
        for word in ("anyOf", "oneOf", "allOf", "items", "additionalProperties", "prefixItems"):
            yield from _parts(schema.get(word))
        for inner in schema.get("properties", {}).values():
            yield from _parts(inner)
