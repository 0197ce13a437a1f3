"""Third-party cases of hashes, weights, ranges, choices, overrides, namespaces, conditions and addresses."""

import pytest

from abtest.domain.assignment.allocation import equal_weights, ranges
from abtest.domain.assignment.hash import BUCKETS
from tests.unit.third_party.adapter import in_buckets, version_one
from tests.unit.third_party.cases import ALL, URLS, Document, both, count
from tests.unit.third_party.questions import CORRECTED, KINDS, choices, edges

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
KINDS_OF_OTHERS = {"decrypt", "contextualBandit", "feature"}  # encrypted payloads, bandits, and their feature rules


def answers(kind: str) -> list[Document]:
    """What Python and Node say to every question of a kind."""
    return both(KINDS[kind].mode, KINDS[kind].questions())


def test_kinds__of_the_published_cases__are_these_and_no_more() -> None:
    assert {kind: count(kind) for kind in COUNTS} == COUNTS
    assert set(ALL) - {"specVersion"} == (set(COUNTS) - {"url"}) | KINDS_OF_OTHERS
    assert set(KINDS) == set(COUNTS) - {"getEqualWeights"}


def test_hash__version_two__is_ours_in_both_languages() -> None:
    expected = [round(number * BUCKETS) for _, _, version, number in ALL["hash"] if version == 2]
    assert len(expected) == 7
    assert [answer["bucket"] for answer in answers("hash")] == expected


def test_hash__version_one__is_theirs_and_only_the_adapter_knows_it() -> None:
    cases = [(seed, value, number) for seed, value, version, number in ALL["hash"] if version == 1]
    assert len(cases) == 7
    assert [version_one(seed, value) for seed, value, _ in cases] == [number for _, _, number in cases]


def test_hash__of_an_unknown_version__is_the_only_case_that_asks_for_none() -> None:
    assert [case for case in ALL["hash"] if case[2] not in (1, 2)] == [["abc", "def", 99, None]]


def chosen(kind: str) -> list[int]:
    """In which range both languages find each bucket; -1 in none."""
    found = [answer["assignments"] for answer in answers(kind)]
    return [each[0]["variation_index"] if each else -1 for each in found]


def test_choose_variation__in_both_languages__is_their_choice() -> None:
    assert len(choices()) == count("chooseVariation")
    assert chosen("chooseVariation") == [expected for *_, expected in ALL["chooseVariation"]]


def test_bucket_range__of_their_cases__is_theirs() -> None:
    cases = {name: case for name, *case in ALL["getBucketRange"] if name not in CORRECTED}
    assert len(cases) == 13 - len(CORRECTED)
    for (number, coverage, weights), expected in cases.values():
        assert [list(each) for each in ranges(weights or equal_weights(number), coverage)] == in_buckets(expected)


def test_bucket_range__at_every_edge__is_chosen_from_alike_in_both_languages() -> None:
    expected = [next((i for i, (a, b) in enumerate(ours) if a <= at < b), -1) for at, ours in edges()]
    assert chosen("getBucketRange") == expected


@pytest.mark.parametrize(("number", "expected"), ALL["getEqualWeights"])
def test_equal_weights__of_so_many_variations__are_theirs(number: int, expected: list[float]) -> None:
    assert equal_weights(number) == pytest.approx(expected, abs=1e-8)


def test_query_override__as_a_wish__forces_what_theirs_forces() -> None:
    """The parameter itself, `svc_force`, is read in browsers only: tests/sdk/third_party.test.mjs."""
    found = [answer["assignments"] for answer in answers("getQueryStringOverride")]
    forced = [each[0]["variation_index"] if each and each[0].get("forced") else None for each in found]
    assert forced == [expected for *_, expected in ALL["getQueryStringOverride"]]


def test_namespace__as_an_exclusion_group__lets_in_whom_theirs_lets_in() -> None:
    """None of the 16 applies by hash: theirs is version 1 of `<id>__<namespace>`. The shares are asked of ours."""
    assert [bool(answer["assignments"]) for answer in answers("inNamespace")] == [
        case[3] for case in ALL["inNamespace"]
    ]


def test_conditions__of_all_248_cases__hold_where_theirs_hold() -> None:
    told = zip(ALL["evalCondition"], answers("evalCondition"), strict=True)
    assert [case[0] for case, answer in told if answer["matches"] != case[3]] == []


def test_addresses__of_all_31_cases__match_where_theirs_match() -> None:
    assert [answer["matches"] for answer in answers("url")] == [expected for *_, expected in URLS]
