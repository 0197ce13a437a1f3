"""Third-party cases of whole runs, redirects and sticky buckets, in both languages; what is not ours is named."""

from typing import Any

import pytest

from abtest.domain.assignment.destination import destination_of
from tests.unit.third_party.adapter import NOW, experiment_of, question
from tests.unit.third_party.cases import ALL, Document, both, named

RUNS_NOT_OURS = {
    "single variation": "an experiment has two variations or more",
    "negative forced variation": "no experiment forces everybody; a wish for no variation is none",
    "high forced variation": "no experiment forces everybody; a wish for no variation is none",
    "coverage take precendence over forced": "no experiment forces everybody",
    "Works in QA mode if forced in experiment": "no experiment forces everybody",
    "Skips experiments in QA mode": "a quality check sees what visitors see, unless it forces something",
    "globally disabled": "a switch of their SDK; ours is not on the page then",
    "querystring force with inactive": "what does not run is not published, so nothing is there to force",
    "Filtered, included": "an experiment is in one exclusion group, by one id",
    "Filtered, excluded": "an experiment is in one exclusion group, by one id",
    "Prerequisite condition passes": "their feature flags as conditions of experiments",
    "Prerequisite condition fails": "their feature flags as conditions of experiments",
}
STICKY_NOT_OURS = {
    "stops test enrollment when and existing sticky bucket is blocked by version": "a restart lets everybody in again",
    "skips assignment when sticky bucket version < experiment.minBucketVersion": "a restart lets everybody in again",
    "disables sticky bucketing when disabled by experiment": "every experiment of ours is sticky",
}


def test_runs__except_those_named__come_out_as_theirs() -> None:
    cases = {name: case for name, case in named("run").items() if name not in RUNS_NOT_OURS}
    assert len(cases) == 73 - len(RUNS_NOT_OURS)
    answers = both("decide", [question(context, theirs) for _, context, theirs, *_ in cases.values()])
    ours = {name: _outcome(case, answer) for (name, case), answer in zip(cases.items(), answers, strict=True)}
    assert ours == {name: tuple(case[3:]) for name, case in cases.items()}


def _outcome(case: list[Any], answer: Document) -> tuple[Any, bool, bool]:
    """Value, whether the visitor is in, and whether a hash decided it."""
    variations, assigned = case[2]["variations"], answer["assignments"]
    if not assigned:
        return variations[0], False, False
    (only,) = assigned
    return variations[only["variation_index"]], only["active"], "forced" not in only


@pytest.mark.parametrize("case", ALL["urlRedirect"], ids=lambda case: case[0])
def test_redirect__of_the_first_that_applies__leads_where_theirs_leads(case: list[Any]) -> None:
    """The same in JavaScript: tests/sdk/third_party.test.mjs."""
    _, context, (expected,) = case
    experiments = [experiment_of(context, theirs) for theirs in context["experiments"]]
    asked = {"config": {"experiments": experiments}, "visitor": "1", "url": context["url"], "now": NOW}
    (answer,) = both("decide", [asked])
    targets = [
        theirs["variations"][assigned["variation_index"]].get("urlRedirect")
        for theirs, assigned in zip(context["experiments"], answer["assignments"], strict=True)
        if assigned["active"]
    ]
    assert targets[0] == expected["urlRedirect"]
    assert destination_of(targets[0], context["url"]) == expected["urlWithParams"]


def test_sticky_buckets__except_those_named__come_out_as_theirs() -> None:
    cases = {name: case for name, case in named("stickyBucket").items() if name not in STICKY_NOT_OURS}
    assert len(cases) == 13 - len(STICKY_NOT_OURS)
    answers = both("decide", [_sticky_question(case) for case in cases.values()])
    for case, answer in zip(cases.values(), answers, strict=True):
        (ours,) = answer["assignments"]
        _, _, _, _, expected, stored = case
        assert (ours["variation_index"], ours["active"]) == (expected["variationId"], expected["inExperiment"])
        assert ours.get("sticky", False) == expected["stickyBucketUsed"]
        assert _stored_now(case, expected, stored) == str(ours["variation_index"])


def _rule(case: list[Any]) -> Document:
    (feature,) = case[1]["features"].items()
    rule: Document = feature[1]["rules"][0]
    return {"key": feature[0], **rule}


def _sticky_question(case: list[Any]) -> Document:
    """Their hash attribute is our customer, their fallback our visitor."""
    _, context, stored, *_ = case
    rule, known = _rule(case), case[1]["attributes"]
    fallback = rule["fallbackAttribute"]
    visitor = {
        "id": known.get(fallback),
        "customer_id": known.get(rule["hashAttribute"]),
        "attributes": known,
        "sticky": _remembered(rule, known, stored),
    }
    experiment = experiment_of(context, rule, fallback)
    return {"config": {"experiments": [experiment]}, "visitor": visitor, "url": "/", "now": NOW}


def _remembered(rule: Document, known: Document, stored: list[Document]) -> Document:
    """What this visitor's documents say, those of the hash attribute last: they win. Versions are our epochs."""
    own = [each for each in stored if known.get(each["attributeName"]) == each["attributeValue"]]
    seen: Document = {}
    for document in sorted(own, key=lambda each: each["attributeName"] == rule["hashAttribute"]):
        for name, variation in document["assignments"].items():
            key, _, version = name.rpartition("__")
            epoch = int(version) + 1
            seen[key if epoch == 1 else f"{key}:{epoch}"] = f"variation {variation}"
    return seen


def _stored_now(case: list[Any], expected: Document, stored: dict[str, Document]) -> str:
    """What their store has for the visitor afterwards, which is what our visitor remembers."""
    rule = _rule(case)
    document = stored[f"{expected['hashAttribute']}||{expected['hashValue']}"]
    found: str = document["assignments"][f"{rule['key']}__{rule.get('bucketVersion', 0)}"]
    return found
