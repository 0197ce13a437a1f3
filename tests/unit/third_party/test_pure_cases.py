"""Third-party cases of hashes, weights, ranges, choices, overrides, namespaces, conditions and addresses."""

from typing import Any

import pytest

from abtest.domain.assignment.allocation import equal_weights, ranges
from abtest.domain.assignment.hash import BUCKETS
from tests.unit.third_party.adapter import NOW, forced_by_query, group, in_buckets, state_with, version_one
from tests.unit.third_party.cases import ALL, URLS, Document, both, count, named

COUNTS = {
    "hash": 15,
    "getBucketRange": 13,
    "chooseVariation": 13,
    "getEqualWeights": 6,
    "getQueryStringOverride": 16,
    "inNamespace": 16,
    "urlRedirect": 4,
    "evalCondition": 248,
    "run": 73,
    "stickyBucket": 13,
    "url": 31,
}
# An experiment whose weights are not its variations' and do not sum to 1 cannot be launched, so nothing corrects them.
CORRECTED = {"weights sum below 1", "weights sum above 1", "weights.length not equal to num variations"}
KINDS_OF_OTHERS = {"decrypt", "contextualBandit", "feature"}  # encrypted payloads, bandits, and their feature rules


def test_kinds__of_the_published_cases__are_these_and_no_more() -> None:
    assert {kind: count(kind) for kind in COUNTS} == COUNTS
    assert set(ALL) - {"specVersion"} == (set(COUNTS) - {"url"}) | KINDS_OF_OTHERS


def test_hash__version_two__is_ours_in_both_languages() -> None:
    cases = [(seed, value, number) for seed, value, version, number in ALL["hash"] if version == 2]
    assert len(cases) == 7
    answers = both("hash", [{"seed": seed, "value": value} for seed, value, _ in cases])
    assert [answer["bucket"] for answer in answers] == [round(number * BUCKETS) for _, _, number in cases]


def test_hash__version_one__is_theirs_and_only_the_adapter_knows_it() -> None:
    cases = [(seed, value, number) for seed, value, version, number in ALL["hash"] if version == 1]
    assert len(cases) == 7
    assert [version_one(seed, value) for seed, value, _ in cases] == [number for _, _, number in cases]


def test_hash__of_an_unknown_version__is_the_only_case_that_asks_for_none() -> None:
    assert [case for case in ALL["hash"] if case[2] not in (1, 2)] == [["abc", "def", 99, None]]


def chosen(buckets_of: list[tuple[int, list[list[int]]]]) -> list[int]:
    """In which range both languages find each bucket; -1 in none."""
    questions = [_at(bucket, shares) for bucket, shares in buckets_of]
    answers = [answer["assignments"] for answer in both("decide", questions)]
    return [found[0]["variation_index"] if found else -1 for found in answers]


def _at(bucket: int, shares: list[list[int]]) -> Document:
    variations = [{"id": f"v{number}", "range": share} for number, share in enumerate(shares)]
    experiment = {"id": "x", "epoch": 1, "state": state_with("visitor", bucket), "variations": variations}
    return {"config": {"experiments": [experiment]}, "visitor": "visitor", "url": "/", "now": NOW}


def test_choose_variation__in_both_languages__is_their_choice() -> None:
    cases = ALL["chooseVariation"]
    asked = [(round(number * BUCKETS), in_buckets(shares)) for _, number, shares, _ in cases]
    assert chosen(asked) == [expected for *_, expected in cases]


def test_bucket_range__of_their_cases__is_theirs_and_chosen_from_in_both_languages() -> None:
    """Cut points are made on the server alone; browsers are given them, so JavaScript is asked at their edges."""
    cases = {name: case for name, *case in ALL["getBucketRange"] if name not in CORRECTED}
    assert len(cases) == 13 - len(CORRECTED)
    edges: list[tuple[int, list[list[int]]]] = []
    for (number, coverage, weights), expected in cases.values():
        ours = [list(each) for each in ranges(weights or equal_weights(number), coverage)]
        assert ours == in_buckets(expected)
        edges += [(at, ours) for each in ours for edge in each for at in (edge - 1, edge) if 0 <= at < BUCKETS]
    expected_choices = [next((i for i, (a, b) in enumerate(ours) if a <= at < b), -1) for at, ours in edges]
    assert chosen(edges) == expected_choices


@pytest.mark.parametrize(("number", "expected"), ALL["getEqualWeights"])
def test_equal_weights__of_so_many_variations__are_theirs(number: int, expected: list[float]) -> None:
    assert equal_weights(number) == pytest.approx(expected, abs=1e-8)


def test_query_override__as_a_wish__forces_what_theirs_forces() -> None:
    """The parameter itself, `svc_force`, is read in browsers only: tests/sdk/third_party.test.mjs."""
    questions = [_wished(key, url, number) for _, key, url, number, _ in named("getQueryStringOverride").values()]
    answers = [answer["assignments"] for answer in both("decide", questions)]
    forced = [found[0]["variation_index"] if found and found[0].get("forced") else None for found in answers]
    assert forced == [expected for *_, expected in named("getQueryStringOverride").values()]


def _wished(key: str, url: str, number: int) -> Document:
    variations = [{"id": f"variation {each}", "range": [0, 0]} for each in range(number)]
    config = {"experiments": [{"id": key, "epoch": 1, "state": 1, "variations": variations}]}
    return {"config": config, "visitor": "visitor", "url": url, "now": NOW, "force": forced_by_query(url, key)}


def test_namespace__as_an_exclusion_group__lets_in_whom_theirs_lets_in() -> None:
    """None of the 16 applies by hash: theirs is version 1 of `<id>__<namespace>`. The shares are asked of ours."""
    cases = named("inNamespace").values()
    variations = [{"id": "v", "range": [0, BUCKETS]}]
    experiments = [
        {"id": "x", "epoch": 1, "state": 1, "variations": variations, "group": group(unit, *namespace)}
        for _, unit, namespace, _ in cases
    ]
    questions = [
        {"config": {"experiments": [each]}, "visitor": case[1], "url": "/", "now": NOW}
        for each, case in zip(experiments, cases, strict=True)
    ]
    assert [bool(answer["assignments"]) for answer in both("decide", questions)] == [case[3] for case in cases]


def test_conditions__of_all_248_cases__hold_where_theirs_hold() -> None:
    cases: list[Any] = ALL["evalCondition"]
    questions = [
        {"condition": condition, "attributes": attributes, **({"groups": groups[0]} if groups else {})}
        for _, condition, attributes, _, *groups in cases
    ]
    answers = both("condition", questions)
    wrong = [case[0] for case, answer in zip(cases, answers, strict=True) if answer["matches"] != case[3]]
    assert wrong == []


def test_addresses__of_all_31_cases__match_where_theirs_match() -> None:
    questions = [{"type": kind, "url": url, "pattern": pattern} for kind, url, pattern, _ in URLS]
    assert [answer["matches"] for answer in both("url", questions)] == [expected for *_, expected in URLS]
