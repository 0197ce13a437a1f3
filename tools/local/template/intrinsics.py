"""Resolves CloudFormation's functions, conditions and parameters to plain values."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tools.local.template.document import Document, Node, TemplateError

STACK = "abtest-local"
ACCOUNT = "000000000000"
REGION = "us-east-1"

PSEUDO_PARAMETERS: Mapping[str, str] = {
    "AWS::StackName": STACK,
    "AWS::StackId": f"arn:aws:cloudformation:{REGION}:{ACCOUNT}:stack/{STACK}/local",
    "AWS::AccountId": ACCOUNT,
    "AWS::Region": REGION,
    "AWS::Partition": "aws",
    "AWS::URLSuffix": "amazonaws.com",
}
NO_VALUE = object()

Attributes = dict[str, dict[str, str]]  # logical id -> attribute -> value; "Ref" is one of them
_PLACEHOLDER = re.compile(r"\$\{(!?)([^}]+)\}")


def parameter_values(document: Document, supplied: Mapping[str, str]) -> dict[str, str]:
    """Give each declared parameter its supplied value or its default."""
    values = {}
    for name, declared in document.parameters.items():
        value = supplied.get(name, declared.get("Default"))
        if value is None:
            raise TemplateError(f"parameter {name} has no default and the local stack supplies none")
        allowed = declared.get("AllowedValues")
        if allowed and str(value) not in map(str, allowed):
            raise TemplateError(f"parameter {name} may be one of {allowed}, not {value!r}")
        values[name] = str(value)
    return values


@dataclass
class Resolver:
    """Evaluates nodes of one template against its parameters and the attributes known so far."""

    document: Document
    parameters: Mapping[str, str]
    attributes: Attributes = field(default_factory=dict)

    def resolve(self, node: Node) -> Node:
        """Evaluate every function inside `node`; AWS::NoValue removes the key or the element."""
        if isinstance(node, list):
            return [value for item in node if (value := self.resolve(item)) is not NO_VALUE]
        if not isinstance(node, dict):
            return node
        if len(node) == 1:
            name, argument = next(iter(node.items()))
            if function := self._functions().get(name):
                return function(argument)
            if name.startswith("Fn::"):
                raise TemplateError(f"the local stack does not know {name}")
        return {key: value for key, item in node.items() if (value := self.resolve(item)) is not NO_VALUE}

    def text(self, node: Node) -> str:
        """Resolve to the string that CloudFormation would put into an environment variable."""
        value = self.resolve(node)
        return str(value).lower() if isinstance(value, bool) else str(value)

    def holds(self, condition: Node) -> bool:
        """Evaluate a condition given by name or as an expression."""
        if isinstance(condition, str):
            if condition not in self.document.conditions:
                raise TemplateError(f"there is no condition named {condition}")
            return self.holds(self.document.conditions[condition])
        name, argument = next(iter(condition.items()))
        match name:
            case "Condition":
                return self.holds(argument)
            case "Fn::Equals":
                left, right = (self.text(side) for side in argument)
                return left == right
            case "Fn::Not":
                return not self.holds(argument[0])
            case "Fn::And":
                return all(self.holds(part) for part in argument)
            case "Fn::Or":
                return any(self.holds(part) for part in argument)
        raise TemplateError(f"the local stack does not know the condition {name}")

    def _functions(self) -> Mapping[str, Callable[[Node], Node]]:
        return {
            "Ref": self._ref,
            "Fn::GetAtt": self._get_attribute,
            "Fn::Sub": self._substitute,
            "Fn::Join": self._join,
            "Fn::If": self._if,
            "Fn::Select": lambda argument: self.resolve(argument[1])[int(argument[0])],
            "Fn::Split": lambda argument: self.text(argument[1]).split(argument[0]),
            "Fn::Base64": lambda argument: base64.b64encode(self.text(argument).encode()).decode(),
        }

    def _ref(self, name: str) -> Node:
        if name == "AWS::NoValue":
            return NO_VALUE
        if name in PSEUDO_PARAMETERS:
            return PSEUDO_PARAMETERS[name]
        if name in self.parameters:
            return self.parameters[name]
        return self._attribute(name, "Ref")

    def _get_attribute(self, argument: list[str]) -> str:
        name, attribute = argument
        return self._attribute(name, attribute)

    def _attribute(self, name: str, attribute: str) -> str:
        if name not in self.document.resources:
            raise TemplateError(f"the template refers to {name}, which it does not declare")
        known = self.attributes.get(name, {})
        # What the stack does not run (CloudFront, alarms) still needs a recognisable value.
        return known.get(attribute) or f"{STACK}-{name.lower()}" + ("" if attribute == "Ref" else f".{attribute}")

    def _substitute(self, argument: Node) -> str:
        text, extra = (argument, {}) if isinstance(argument, str) else argument

        def replace(match: re.Match[str]) -> str:
            literal, name = match.groups()
            if literal:
                return f"${{{name}}}"
            if name in extra:
                return self.text(extra[name])
            logical_id, _, attribute = name.partition(".")
            return str(self._attribute(logical_id, attribute) if attribute else self._ref(name))

        return _PLACEHOLDER.sub(replace, text)

    def _join(self, argument: list[Node]) -> str:
        separator, parts = argument
        return str(separator).join(str(part) for part in self.resolve(parts))

    def _if(self, argument: list[Node]) -> Node:
        condition, yes, no = argument
        return self.resolve(yes if self.holds(condition) else no)
