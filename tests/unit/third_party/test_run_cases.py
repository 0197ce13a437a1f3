"""Third-party cases of whole runs, redirects and sticky buckets, in both languages."""

from typing import Any

from abtest.domain.assignment.destination import destination_of
from tests.unit.third_party.cases import ALL, Case, Document, both
from tests.unit.third_party.questions import KINDS, RUNS_NOT_OURS, STICKY_NOT_OURS, rule_of, runs, stickies


def answers(kind: str) -> list[Document]:
    """What Python and Node say to every question of a kind."""
    return both(KINDS[kind].mode, KINDS[kind].questions())


def test_runs__except_those_named__come_out_as_theirs() -> None:
    cases = runs()
    assert len(cases) == 73 - len(RUNS_NOT_OURS)
    ours = {name: _outcome(case, answer) for (name, case), answer in zip(cases.items(), answers("run"), strict=True)}
    assert ours == {name: tuple(case[3:]) for name, case in cases.items()}


def _outcome(case: Case, answer: Document) -> tuple[Any, bool, bool]:
    """Value, whether the visitor is in, and whether a hash decided it."""
    variations, assigned = case[2]["variations"], answer["assignments"]
    if not assigned:
        return variations[0], False, False
    (only,) = assigned
    return variations[only["variation_index"]], only["active"], "forced" not in only


def test_redirects__of_the_first_that_applies__lead_where_theirs_lead() -> None:
    """How an address becomes another is asked of JavaScript in tests/sdk/third_party.test.mjs."""
    for (_, context, (expected,)), answer in zip(ALL["urlRedirect"], answers("urlRedirect"), strict=True):
        targets = [
            theirs["variations"][assigned["variation_index"]].get("urlRedirect")
            for theirs, assigned in zip(context["experiments"], answer["assignments"], strict=True)
            if assigned["active"]
        ]
        assert targets[0] == expected["urlRedirect"]
        assert destination_of(targets[0], context["url"]) == expected["urlWithParams"]


def test_sticky_buckets__except_those_named__come_out_as_theirs() -> None:
    cases = stickies()
    assert len(cases) == 13 - len(STICKY_NOT_OURS)
    for case, answer in zip(cases.values(), answers("stickyBucket"), strict=True):
        (ours,) = answer["assignments"]
        _, _, _, _, expected, stored = case
        assert (ours["variation_index"], ours["active"]) == (expected["variationId"], expected["inExperiment"])
        assert ours.get("sticky", False) == expected["stickyBucketUsed"]
        assert _stored_now(case, expected, stored) == str(ours["variation_index"])


def _stored_now(case: Case, expected: Document, stored: dict[str, Document]) -> str:
    """What their store has for the visitor afterwards, which is what our visitor remembers."""
    rule = rule_of(case)
    document = stored[f"{expected['hashAttribute']}||{expected['hashValue']}"]
    found: str = document["assignments"][f"{rule['key']}__{rule.get('bucketVersion', 0)}"]
    return found
