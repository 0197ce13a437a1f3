"""Blocks that template.yaml repeats by lists of names: no function, queue or schedule is missing in its list."""

from pathlib import Path
from typing import Any

import pytest

from tools.local.template.document import load

RESOURCES = load(Path(__file__).parents[3] / "template.yaml").resources


def names(kind: str) -> list[str]:
    return sorted(name for name, resource in RESOURCES.items() if resource["Type"] == kind)


def properties(name: str) -> dict[str, Any]:
    resource: dict[str, Any] = RESOURCES[name]["Properties"]
    return resource


FUNCTIONS = names("AWS::Serverless::Function")
SCHEDULED = [name for name in FUNCTIONS if name.startswith("Cron")]
WATCHED_QUEUES = [name for name in names("AWS::SQS::Queue") if "RedrivePolicy" in properties(name)]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function__has_its_own_log__kept_for_30_days(name: str) -> None:
    assert properties(name)["LoggingConfig"]["LogGroup"] == {"Ref": f"{name}Log"}
    assert properties(f"{name}Log") == {"RetentionInDays": 30}


@pytest.mark.parametrize("name", SCHEDULED)
def test_schedule__has_alarms_for_silence_and_errors(name: str) -> None:
    for alarm, metric in (("SilentAlarm", "Invocations"), ("FailingAlarm", "Errors")):
        watched = properties(f"{name}{alarm}")
        assert watched["MetricName"] == metric
        assert watched["Dimensions"] == [{"Name": "FunctionName", "Value": {"Ref": name}}]


@pytest.mark.parametrize("name", WATCHED_QUEUES)
def test_queue__has_an_alarm_for_its_dead_letters(name: str) -> None:
    dead_letters = f"{name}DeadLetters"
    assert properties(name)["RedrivePolicy"]["deadLetterTargetArn"] == {"Fn::GetAtt": [dead_letters, "Arn"]}
    [dimension] = properties(f"{dead_letters}Alarm")["Dimensions"]
    assert dimension == {"Name": "QueueName", "Value": {"Fn::GetAtt": [dead_letters, "QueueName"]}}


def test_lists__are_not_empty() -> None:
    assert (len(FUNCTIONS), len(SCHEDULED), len(WATCHED_QUEUES)) == (39, 8, 12)


def test_functions_of_the_browser__exist_only_with_its_image() -> None:
    images = [name for name in FUNCTIONS if properties(name).get("PackageType") == "Image"]
    assert images == ["WorkerScreenshots"]
    for name in images:
        assert properties(name)["ImageUri"] == {"Ref": "BrowserImageUri"}
        # With `Metadata`, sam would build the image, which needs a container engine.
        assert (RESOURCES[name]["Condition"], "Metadata" in RESOURCES[name]) == ("HasBrowser", False)
        alarm = RESOURCES[f"{name}FailuresAlarm"]
        assert alarm["Condition"] == "HasBrowser"
