"""Names and comments of template.yaml fit AWS' limits, with the longest name of a stack that the docs allow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from tests.support.template import TEMPLATE
from tools.local.template.document import load
from tools.local.template.intrinsics import PSEUDO_PARAMETERS, Resolver, parameter_values

DOCUMENT = load(TEMPLATE)
PAGE = Path(__file__).parents[3] / "docs" / "parameters.md"

LIMITS = {
    ("AWS::Athena::WorkGroup", "Name"): 128,
    ("AWS::CloudFront::CachePolicy", "CachePolicyConfig.Name"): 128,
    ("AWS::CloudFront::ConnectionGroup", "Name"): 128,
    ("AWS::CloudFront::Distribution", "DistributionConfig.Comment"): 128,
    ("AWS::CloudFront::Function", "Name"): 64,
    ("AWS::CloudFront::OriginRequestPolicy", "OriginRequestPolicyConfig.Name"): 128,
    ("AWS::CloudFront::ResponseHeadersPolicy", "ResponseHeadersPolicyConfig.Name"): 128,
    ("AWS::CloudWatch::Alarm", "Namespace"): 255,
    ("AWS::Glue::Database", "DatabaseInput.Name"): 255,
    ("AWS::KMS::Alias", "AliasName"): 256,
    ("AWS::Logs::MetricFilter", "MetricTransformations.MetricNamespace"): 255,
    ("AWS::SNS::Topic", "DisplayName"): 100,
}
"""Longest text of each property that contains the name of the stack, as AWS documents it."""

DESCRIPTIONS = {
    "AlarmDescription": 1024,
    "Comment": 128,
    "Description": 256,
}
"""Longest text of properties with these names, in any resource of the template."""

GENERATED = {
    "AlarmName",
    "BucketName",
    "FunctionName",
    "GroupName",
    "LogGroupName",
    "QueueName",
    "RoleName",
    "TableName",
    "TopicName",
}
"""Names that CloudFormation makes from those of stack and resource, and shortens to the limit of each service."""


def documented_length() -> int:
    """The longest name of a stack in docs/parameters.md."""
    match = re.search(r"name of the stack has at most (\d+) characters", PAGE.read_text())
    assert match
    return int(match[1])


def texts(resolver: Resolver, node: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield each text below a node with its path, in every case of a condition. Items have the path of their list."""
    if isinstance(node, str):
        yield path, node
    for item in node if isinstance(node, list) else ():
        yield from texts(resolver, item, path)
    for key, item in node.items() if isinstance(node, dict) else ():
        if key in ("Fn::Sub", "Fn::Join") or (key == "Ref" and item.startswith("AWS::")):
            yield path, str(resolver.resolve(node))
        else:
            yield from texts(resolver, item, path if key.startswith("Fn::") else f"{path}.{key}".lstrip("."))


def named(monkeypatch: pytest.MonkeyPatch, name: str) -> list[tuple[str, str, str]]:
    """Type, path and text of everything in the resources of a stack of this name."""
    monkeypatch.setitem(cast(dict[str, str], PSEUDO_PARAMETERS), "AWS::StackName", name)
    resolver = Resolver(DOCUMENT, parameter_values(DOCUMENT, {}))
    return [
        (resource["Type"], path, text)
        for resource in DOCUMENT.resources.values()
        for path, text in texts(resolver, resource["Properties"])
    ]


def test_names__with_the_longest_documented_name_of_a_stack__fit(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "S" * documented_length()
    matches = [(kind, path, text) for kind, path, text in named(monkeypatch, name) if name in text]
    assert {(kind, path) for kind, path, _ in matches} == LIMITS.keys()
    assert [(kind, path, text) for kind, path, text in matches if len(text) > LIMITS[kind, path]] == []


def test_names__with_one_character_more__do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "S" * (documented_length() + 1)
    matches = [each for each in named(monkeypatch, name) if name in each[2]]
    assert any(len(text) > LIMITS[kind, path] for kind, path, text in matches), "docs/parameters.md is too strict"


def test_descriptions__of_every_resource__fit(monkeypatch: pytest.MonkeyPatch) -> None:
    matches = [
        (kind, path, text, DESCRIPTIONS[last])
        for kind, path, text in named(monkeypatch, "S" * documented_length())
        if (last := path.rpartition(".")[2]) in DESCRIPTIONS
    ]
    assert {path.rpartition(".")[2] for _, path, _, _ in matches} == DESCRIPTIONS.keys()
    assert [(kind, path, text) for kind, path, text, limit in matches if len(text) > limit] == []


def test_resources__named_by_cloudformation__have_no_names_of_their_own() -> None:
    given = {
        (logical_id, name)
        for logical_id, resource in DOCUMENT.resources.items()
        for name in GENERATED & resource["Properties"].keys()
        if resource["Type"] != "AWS::Logs::MetricFilter"
    }
    assert given == set()


def test_schedules__of_two_stacks_in_one_region__have_different_names() -> None:
    events = [
        event
        for resource in DOCUMENT.resources.values()
        if resource["Type"] == "AWS::Serverless::Function"
        for event in resource["Properties"].get("Events", {}).values()
    ]
    schedules = [event["Properties"] for event in events if event["Type"] == "ScheduleV2"]
    # SAM names a schedule by its logical id otherwise, and names are unique in the region of an account.
    assert len(schedules) == 8
    assert all(each.get("OmitName") is True and "Name" not in each for each in schedules)
