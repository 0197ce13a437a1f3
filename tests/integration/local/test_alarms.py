"""Alarms of the template: each has a section of the runbook and a metric that is written; each schedule has its two."""

import re
from typing import Any

import pytest

from tests.support.template import TEMPLATE
from tools.local.template.document import load

ROOT = TEMPLATE.parent
OURS = "abtest"
"""The namespace of metrics that the code writes."""

RESOURCES: dict[str, dict[str, Any]] = dict(load(TEMPLATE).resources)
ALARMS = {name: found["Properties"] for name, found in RESOURCES.items() if found["Type"] == "AWS::CloudWatch::Alarm"}
FUNCTIONS = [name for name, found in RESOURCES.items() if found["Type"] == "AWS::Serverless::Function"]


def _headed() -> list[str]:
    """Alarms that headings of the runbook name, before the colon."""
    headings = re.findall("^## ([^:\n]*)", (ROOT / "docs/runbook.md").read_text(), re.MULTILINE)
    return [name for heading in headings for name in re.findall(r"\w+Alarm\b", heading)]


def test_runbook__has_a_section_for_each_alarm_and_for_no_other() -> None:
    assert sorted(_headed()) == sorted(ALARMS)


@pytest.mark.parametrize("name", ALARMS)
def test_alarm__leads_to_the_runbook_and_tells_whoever_is_named(name: str) -> None:
    alarm = ALARMS[name]
    assert "docs/runbook.md" in alarm["AlarmDescription"]
    assert "HasAlarmTopic" in str(alarm["AlarmActions"])


@pytest.mark.parametrize("name", [name for name, alarm in ALARMS.items() if alarm.get("Namespace") == OURS])
def test_alarm__on_a_metric_of_ours__looks_at_one_that_is_written(name: str) -> None:
    metric = ALARMS[name]["MetricName"]
    written = re.compile(rf'"{metric}"|\b{metric}=')  # as a key, or as an argument
    assert any(written.search(path.read_text()) for path in (ROOT / "shared/abtest/services").rglob("*.py")), metric


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name.startswith("Cron")])
def test_schedule__that_falls_silent_or_fails__rings(name: str) -> None:
    watched = {alarm["MetricName"] for alarm in ALARMS.values() if name in str(alarm.get("Dimensions"))}
    assert {"Invocations", "Errors"} <= watched
