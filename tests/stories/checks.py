"""What must hold at the end of a story: all that the product told and answers, beside what was sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from typing import Any

import pytest

from abtest.kit.clock import parse_milliseconds
from abtest.kit.ids import is_uuid
from abtest.ports.catalog import OutboxRow
from tests.stories.case import Case
from tests.stories.evidence import Arm, always_valid_p, harm_p, naive_z, two_sided
from tests.stories.findings import cases_of, details, findings, messages, naive, paired
from tests.stories.oracle import Foretold
from tests.stories.story import Story

FIELDS: Mapping[str, Mapping[str, str]] = {
    "experiment.started": {},
    "experiment.completed": {},
    "experiment.significant": {
        "goal_id": "id",
        "winning_variation_id": "id or null",
        "outcome": "text",
        "guardrails": "array",
    },
    "variation.winning": {"variation_id": "id", "goal_id": "id"},
    "experiment.guardian_triggered": {
        "kind": "text",
        "action": "text",
        "variation_id": "id or null",
        "goal_id": "id or null",
        "details": "object",
    },
    "experiment.guardian_paused": {"reason": "text", "variation_id": "id or null", "goal_id": "id or null"},
}
"""What the contract says of each event beside the experiment's id and name."""

TYPES: Mapping[str, Callable[[Any], bool]] = {
    "id": lambda value: isinstance(value, str) and is_uuid(value),
    "id or null": lambda value: value is None or (isinstance(value, str) and is_uuid(value)),
    "text": lambda value: isinstance(value, str) and bool(value),
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
}

TOLD_IN_TIMELINE = {
    "experiment.completed": ("completed", "person"),
    "experiment.significant": ("paused", "auto_stop"),
    "experiment.guardian_triggered": ("alert", "guardian"),
    "experiment.guardian_paused": ("paused", "guardian"),
}


def events(story: Story) -> None:
    """Reported is what was foretold: each event once, in the round in which the evidence was there, and in order.

    Experiments have their turns in any order.
    """
    assert [_without_details(row) for row, _ in paired(story)] == [foretold.payload for _, foretold in paired(story)]
    for row, foretold in paired(story):
        assert row.topic == "webhook"
        assert row.shop_id == story.shop.tenant.shop.id
        begins, ends = _window(story, foretold)
        assert begins <= parse_milliseconds(row.created_at) < ends, (row, foretold)


def payloads(story: Story) -> None:
    """Exactly the contract's fields, of the contract's types."""
    for row in story.told:
        fields = {**FIELDS[row.payload["event"]], "experiment_id": "id", "experiment_name": "text"}
        assert row.payload.keys() == {"event", *fields}
        wrong = {name: row.payload[name] for name, kind in fields.items() if not TYPES[kind](row.payload[name])}
        assert not wrong, row.payload


def statuses(story: Story) -> None:
    """Each experiment is where its events say, was paused at most once, and storefronts have what runs alone."""
    for case in cases_of(story):
        assert story.status(case.book.experiment) == case.status
        history = story.read(f"/experiments/{case.book.experiment}/history", limit=100)["data"]
        assert [row["action"] for row in history].count("experiment.pause") == (case.status == "paused")
    running = {case.book.experiment for case in cases_of(story) if case.status == "running"}
    assert story.shop.delivered() == running


def results(story: Story) -> None:
    """Visitors, conversions and money are those that were sent, p-values those that follow from them."""
    for case in cases_of(story):
        experiment, book = case.book.experiment, case.book
        control, treatment = (book.converted(each) for each in book.variations)
        plain = story.read(f"/experiments/{experiment}/results", engine="frequentist", correction="none")
        assert plain["multiple_exposure"] == book.twice
        rows = _rows(plain, book.goal)
        for variation, arm in zip(book.variations, (control, treatment), strict=True):
            assert (rows[variation]["visitors"], rows[variation]["conversions"]) == (arm.visitors, arm.converters)
        if control.visitors and treatment.visitors:
            assert rows[book.variations[1]]["p_value"] == pytest.approx(
                two_sided(naive_z(control, treatment)), rel=1e-9
            )
        _check_sequential(story, case, control, treatment)
        if case.revenue is not None:
            money = _rows(plain, case.revenue)
            for variation in book.variations:
                paid = book.paid(variation)
                assert (money[variation]["count"], money[variation]["revenue"]) == (paid.hits, paid.total / 100)


def guardrails(story: Story) -> None:
    """Guardrails show the same in the webhook and in results, which follows from what was sent."""
    for case in cases_of(story):
        if case.revenue is None:
            continue
        treatment = case.book.variations[1]
        (shown,) = story.read(f"/experiments/{case.book.experiment}/results")["guardrails"]
        assert (shown["goal_id"], shown["variation_id"]) == (case.revenue, treatment)
        arms = [case.book.paid(each) for each in case.book.variations]
        p = min(case.harm_p, harm_p(*arms, alpha=case.alpha))
        if shown["p_value"] is not None:
            assert shown["p_value"] == pytest.approx(p, rel=1e-6)
        is_enough = min(arm.visitors for arm in arms) >= 100 and max(arm.converters for arm in arms) >= 25
        assert (shown["status"] == "harmed") == (is_enough and p <= case.alpha)
        for row in story.told:
            if row.payload["experiment_id"] == case.book.experiment and "guardrails" in row.payload:
                (sent,) = row.payload["guardrails"]
                assert (sent["status"] == "harmed") == (row.payload["outcome"] == "harm")


def reports(story: Story) -> None:
    """The report tells the same: the verdict, the numbers, and in its timeline what the webhooks told."""
    for case in cases_of(story):
        found = story.read(f"/experiments/{case.book.experiment}/report")
        names = [each.payload["event"] for each in story.oracle.foretold if _is_of(each, case)]
        verdict, (control, treatment) = found["verdict"], case.book.variations
        is_stopped = "experiment.guardian_paused" in names or case.is_stopped_for_harm
        assert (verdict["status"] == "stopped_for_harm") == is_stopped
        if "variation.winning" in names:
            assert (verdict["status"], verdict["variation_id"]) == ("winner", treatment)
        elif case.harm_p <= case.alpha and not is_stopped:
            assert (verdict["status"], verdict["variation_id"]) == ("harm", treatment)
        elif not is_stopped:
            assert verdict["status"] in ("undecided", "no_winner")
        shown = {each["id"]: each["visitors"] for each in found["experiment"]["variations"]}
        assert shown == {each: case.book.converted(each).visitors for each in (control, treatment)}
        entries = [
            (entry["kind"], entry["by"], entry["moment"])
            for entry in found["timeline"]
            if entry["kind"] in ("launched", "paused", "alert", "completed")
        ]
        assert entries == _timeline(story, case)


def overview(story: Story) -> None:
    """The overview has every running and paused experiment, and says what its results and its report say."""
    answer = story.read("/analytics/overview")
    rows = {row["id"]: row for row in answer["data"]}
    every = {case.book.experiment: story.read(f"/experiments/{case.book.experiment}") for case in cases_of(story)}
    assert rows.keys() == {id_ for id_, one in every.items() if one["status"] in ("running", "paused")}
    for id_, row in rows.items():
        results, report = (story.read(f"/experiments/{id_}/{route}") for route in ("results", "report"))
        for name in ("engine", "generation", "plan", "srm", "checked_at"):
            assert row[name] == results[name]
        assert (
            row["verdict"].items()
            >= {name: report["verdict"][name] for name in ("status", "sentence", "variation_id", "days_left")}.items()
        )
        goal = next(goal for goal in results["goals"] if goal["goal_id"] == row["goal"]["goal_id"])
        shown = next(one for one in goal["rows"] if one["variation_id"] == row["lead"]["variation_id"])
        for name in ("lift", "ci", "difference", "difference_ci", "p_value", "always_valid_p", "state"):
            assert row["lead"][name] == shown[name]
        assert row["findings"]["count"] == len(results["health"])
        pauses = [entry for entry in report["timeline"] if entry["kind"] == "paused"]
        assert (row["pause"] is None) == (row["status"] == "running")
        assert row["pause"] is None or row["pause"]["sentence"] == pauses[-1]["sentence"]


def planned(story: Story) -> None:
    """What is looked at once, at its planned end, says what that look came to, once, and tells nobody unless it won."""
    for case in cases_of(story):
        plan = story.read(f"/experiments/{case.book.experiment}")["planned_test"] or {"evaluation": None}
        timeline = story.read(f"/experiments/{case.book.experiment}/report")["timeline"]
        sentences = [entry["sentence"] for entry in timeline if entry["kind"] == "evaluated"]
        if case.evaluation is None:
            assert (plan["evaluation"], sentences) == (None, [])
            continue
        number, outcome, visitors = case.evaluation
        found = plan["evaluation"]
        assert (found["outcome"], found["total_visitors_at_evaluation"]) == (outcome, visitors)
        begins, ends = story.rounds[number]
        assert begins <= parse_milliseconds(found["evaluated_at"]) < ends
        words = outcome.replace("_", " ")
        assert sentences == (
            [] if case.status == "paused" else [f"The planned end was reached and evaluated once: {words}."]
        )


def looks(story: Story) -> None:
    """Planned looks were taken when they were due, each once, with the boundaries of their information."""
    for case in cases_of(story):
        if case.looks is None:
            continue
        answer = story.read(f"/experiments/{case.book.experiment}/results")
        assert answer["engine"] == "group_sequential"
        (history,) = answer["planned_looks"]["treatments"]
        assert history["variation_id"] == case.book.variations[1]
        shown = [(look["information"], look["z"], look["boundary"] or inf) for look in history["looks"]]
        expected = [(one.fraction, one.z, one.boundary) for one in case.looks.seen]
        assert len(shown) == len(expected)
        for own, other in zip(shown, expected, strict=True):
            assert own == pytest.approx(other, rel=1e-4)
        assert (answer["engine_reason"] == "planned_looks_ended") == (case.evaluation is not None)


def schedules(story: Story) -> None:
    """Every schedule was fired twice in a round, and those that are fired in each have died."""
    rounds, shop = len(story.rounds) - 1, story.shop
    for cron in shop.crons:
        assert cron.fired == 2 * (-(-rounds // 4) if cron is shop.compact else rounds), cron.name
        assert cron.deaths > 0 or cron is shop.compact, cron.name


CHECKS: Mapping[str, Callable[[Story], None]] = {
    check.__name__: check
    for check in (
        events,
        payloads,
        details,
        statuses,
        findings,
        messages,
        results,
        guardrails,
        reports,
        overview,
        planned,
        looks,
        naive,
        schedules,
    )
}


def _check_sequential(story: Story, case: Case, control: Arm, treatment: Arm) -> None:
    found = story.read(f"/experiments/{case.book.experiment}/results", engine="sequential")
    row = _rows(found, case.book.goal)[case.book.variations[1]]
    p = always_valid_p(control, treatment, tau=case.tau, alpha=case.alpha)
    if p is None:
        assert row["always_valid_p"] is None
        return
    assert row["always_valid_p"] == pytest.approx(min(case.smallest_p, p), rel=1e-9)


def _without_details(row: OutboxRow) -> dict[str, Any]:
    return {name: value for name, value in row.payload.items() if name not in ("details", "guardrails")}


def _timeline(story: Story, case: Case) -> list[tuple[str, str, str]]:
    """Webhooks in the timeline's words, alerts of one look as one; who launched it is not theirs to tell."""
    by = "schedule" if case.name in story.scheduled else "person"
    words = {**TOLD_IN_TIMELINE, "experiment.started": ("launched", by)}
    told = [row for row in story.told if row.payload["experiment_id"] == case.book.experiment]
    entries = [(*words[event], row.created_at) for row in told if (event := row.payload["event"]) in words]
    return list(dict.fromkeys(entries))


def _rows(found: Mapping[str, Any], goal: str) -> dict[str, Any]:
    (told,) = (each for each in found["goals"] if each["goal_id"] == goal)
    return {row["variation_id"]: row for row in told["rows"]}


def _is_of(foretold: Foretold, case: Case) -> bool:
    return bool(foretold.payload["experiment_id"] == case.book.experiment)


def _window(story: Story, foretold: Foretold) -> tuple[int, int]:
    """When the round began and ended; what was launched by hand before the first one has none."""
    if foretold.round == 0 and foretold.payload["event"] == "experiment.started":
        return 0, story.rounds[0][1]
    return story.rounds[foretold.round]
