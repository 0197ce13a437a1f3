"""Checks of what Guardian found, at the end of a story: alerts, the health route, the inbox, a calculation by hand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from abtest.kit.clock import parse_milliseconds
from abtest.ports.catalog import OutboxRow
from tests.stories.book import QUARTER
from tests.stories.case import About, Case, Finding
from tests.stories.evidence import naive_z, naive_z_of_means, two_sided
from tests.stories.oracle import Foretold
from tests.stories.story import Story

DONE = {
    "alert": "The experiment goes on.",
    "pause": "The experiment was paused.",
    "pause_suppressed": "its settings do not let Guardian pause it for this.",
}
CONVERSIONS = {"broken_conversion", "conversion_harm"}
"""Kinds of findings that compare rates."""

NO_CHANCE = 0.001
"""Where nothing differs, even the naive test should find nothing at this level at the one end of the story."""


def cases_of(story: Story) -> list[Case]:
    """All experiments that were launched."""
    return list(story.oracle.cases.values())


def paired(story: Story) -> list[tuple[OutboxRow, Foretold]]:
    """Events of webhooks, each with what was foretold, by experiment and then by time."""
    rows = sorted(story.told, key=lambda row: str(row.payload["experiment_id"]))
    foretold = sorted(story.oracle.foretold, key=lambda each: str(each.payload["experiment_id"]))
    assert len(rows) == len(foretold)
    return list(zip(rows, foretold, strict=True))


def details(story: Story) -> None:
    """The numbers of an alert are those of what was sent."""
    for row, foretold in paired(story):
        if foretold.finding is not None:
            case = story.oracle.cases[row.payload["experiment_id"]]
            _check_details(story, case, foretold.finding, foretold.round, row.payload["details"])


def findings(story: Story) -> None:
    """The health route lists what was reported, with the rounds in which that began and was over, and nothing else."""
    for case in cases_of(story):
        shown = story.read(f"/experiments/{case.book.experiment}/health")["data"]
        listed = {
            (_about(row), row["action"], _round_of(story, row["detected_at"]), _round_of(story, row["resolved_at"]))
            for row in shown
        }
        assert listed == {(each.finding.about, each.action, each.round, each.ended) for each in case.reported}
        assert len(shown) == len(case.reported)
        for row in shown:
            if row["action"] == "pause":  # no later look has seen more
                finding = case.lasting[_about(row)].finding
                _check_details(story, case, finding, case.ended_at or 0, row["details"])


def messages(story: Story) -> None:
    """In the inbox there is one message for each finding, that names the experiment and what was done."""
    rows, _ = story.shop.management.catalog.inbox(story.shop.tenant.shop.id, limit=1000)
    assert {row.role for row in rows} <= {"system"}
    expected = sorted((case.name, DONE[each.action]) for case in cases_of(story) for each in case.reported)
    bodies = [row.body for row in rows]
    assert sorted((body.partition(":")[0], _end(body)) for body in bodies) == expected


def naive(story: Story) -> None:
    """Anybody's calculation by hand at the end agrees with what was reported while it went on."""
    for case in cases_of(story):
        control, treatment = (case.book.converted(each) for each in case.book.variations)
        kinds = {each.finding.kind for each in case.reported}
        if "broken_delivery" in kinds:
            assert treatment.visitors == 0
            continue
        z = naive_z(control, treatment)
        if case.is_stopped_for_harm:
            assert naive_z_of_means(*(case.book.paid(each) for each in case.book.variations)) < -1.96
        elif case.status == "paused" and not kinds:
            assert z > 1.96
        elif not kinds & CONVERSIONS:
            assert two_sided(z) > NO_CHANCE
        _check_harm(story, case)


def _check_harm(story: Story, case: Case) -> None:
    """Calculate harm as it is now: of all visitors, or where something had changed of those from then to the report."""
    for each in case.reported:
        counted = case.book.paid if each.finding.goal == case.revenue else case.book.converted
        period = (0, None) if each.finding.since is None else (each.finding.since, _quarter_after(story, each.round))
        control, treatment = (counted(variation, *period) for variation in case.book.variations)
        if each.finding.kind in CONVERSIONS:
            assert naive_z(control, treatment) < -1.96
        if each.finding.kind == "revenue_harm":
            assert naive_z_of_means(control, treatment) < -1.96


def _check_details(story: Story, case: Case, finding: Finding, number: int, details: Mapping[str, Any]) -> None:
    shown = dict(details)
    window, generation, changed_at = shown.pop("window"), shown.pop("generation"), shown.pop("changed_at", None)
    assert shown == {
        "metric": finding.metric,
        "observed": pytest.approx(finding.observed, rel=1e-9),
        "expected": pytest.approx(finding.expected, rel=1e-9),
        "threshold": pytest.approx(finding.threshold, rel=1e-9),
        "sample": finding.sample,
        "consecutive_checks": 1,
    }
    if finding.since is None:
        assert (parse_milliseconds(window["from"]), changed_at) == (case.book.begins, None)
    else:
        assert parse_milliseconds(window["from"]) == parse_milliseconds(changed_at) == finding.since * QUARTER
    assert parse_milliseconds(window["to"]) == story.rounds[number][0]
    assert isinstance(generation, int)
    assert generation >= 1


def _about(row: Mapping[str, Any]) -> About:
    return row["kind"], row["variation_id"], row["goal_id"]


def _round_of(story: Story, moment: str | None) -> int | None:
    """The round of a moment, if there is one."""
    if moment is None:
        return None
    (number,) = (
        number for number, (begins, ends) in enumerate(story.rounds) if begins <= parse_milliseconds(moment) < ends
    )
    return number


def _quarter_after(story: Story, number: int) -> int:
    return story.rounds[number][0] // QUARTER + 1


def _end(body: str) -> str:
    return next(end for end in DONE.values() if body.endswith(end))
