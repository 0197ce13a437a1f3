"""A CloudFormation document as YAML gives it: short tags become their long functions, nothing is resolved."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

Node = Any  # a YAML value: str, int, float, bool, None, list or dict


class TemplateError(Exception):
    """The template asks for something that the local stack cannot read or does not know."""


@dataclass(frozen=True)
class Document:
    """One template: its sections, and the folder that its relative paths start from."""

    root: Path
    parameters: dict[str, Node]
    rules: dict[str, Node]
    conditions: dict[str, Node]
    globals: dict[str, Node]
    resources: dict[str, dict[str, Node]]


class _Loader(yaml.CSafeLoader):  # the parser in C reads the template in a fifth of the time
    """SafeLoader that understands !Ref, !GetAtt and the other short forms."""


def _construct(loader: _Loader, suffix: str, node: yaml.Node) -> Node:
    if isinstance(node, yaml.ScalarNode):
        value: Node = loader.construct_scalar(node)
    elif isinstance(node, yaml.SequenceNode):
        value = loader.construct_sequence(node, deep=True)
    elif isinstance(node, yaml.MappingNode):
        value = loader.construct_mapping(node, deep=True)
    else:  # pragma: no cover - YAML has no fourth kind
        raise TemplateError(f"cannot read the tag !{suffix}")
    if suffix in {"Ref", "Condition"}:
        return {suffix: value}
    if suffix == "GetAtt" and isinstance(value, str):
        value = value.split(".", 1)
    return {f"Fn::{suffix}": value}


_Loader.add_multi_constructor("!", _construct)


def load(path: Path) -> Document:
    """Read the template at `path`; TemplateError names the file when it is missing or not YAML."""
    try:
        content = yaml.load(path.read_text(), Loader=_Loader)  # noqa: S506 - a SafeLoader
    except FileNotFoundError:
        raise TemplateError(f"there is no template at {path}") from None
    except yaml.YAMLError as problem:
        raise TemplateError(f"{path} is not valid YAML: {problem}") from None
    return Document(
        root=path.resolve().parent,
        parameters=content.get("Parameters") or {},
        rules=content.get("Rules") or {},
        conditions=content.get("Conditions") or {},
        globals=content.get("Globals") or {},
        resources=_expanded(content.get("Resources") or {}, content.get("Mappings") or {}),
    )


def _expanded(resources: dict[str, Node], mappings: dict[str, Node]) -> dict[str, dict[str, Node]]:
    """Resources with those of each Fn::ForEach in its place."""
    every: dict[str, dict[str, Node]] = {}
    for name, resource in resources.items():
        if not name.startswith("Fn::ForEach::"):
            every[name] = resource
            continue
        identifier, values, fragment = resource
        for value in values:
            every |= _replaced(fragment, identifier, value, mappings)
    return every


def _replaced(node: Node, identifier: str, value: str, mappings: dict[str, Node]) -> Node:
    """The node with the value of a loop in the place of its identifier, as AWS::LanguageExtensions does it."""
    if isinstance(node, str):
        return node.replace(f"${{{identifier}}}", value)
    if isinstance(node, list):
        return [_replaced(item, identifier, value, mappings) for item in node]
    if not isinstance(node, dict):
        return node
    if node == {"Ref": identifier}:
        return value
    result = {
        _replaced(key, identifier, value, mappings): _replaced(item, identifier, value, mappings)
        for key, item in node.items()
    }
    if isinstance(text := result.get("Fn::Sub"), str) and "${" not in text:
        return text
    if (names := result.get("Fn::FindInMap")) and names[1] == value:
        return mappings[names[0]][value][names[2]]
    return result
