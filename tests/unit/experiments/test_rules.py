"""Rules across fields: redirects, mutations, patterns, zones, variations, data URIs."""

import time
from dataclasses import replace
from typing import Any

import pytest

from abtest.domain.changes.errors import NotDeletableError
from abtest.domain.experiments import rules, variations
from abtest.domain.experiments.checklist import checklist
from abtest.domain.experiments.data_uris import MAX_LENGTH, has_oversized_data_uri
from abtest.domain.experiments.errors import RedirectMatchesSourceError
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.experiments.mutations import NEEDED
from abtest.domain.experiments.redirects import check as check_redirects
from abtest.domain.experiments.schedule import check_times
from abtest.domain.targeting.admission import UnsafeRegexError, problem_of
from abtest.kit.errors import LimitReachedError, NotFoundError, ValidationFailedError
from tests.unit.experiments.examples import CONTROL, EXPERIMENT, LATER, NOW, TREATMENT, USER, arm, experiment, in_status


def page(*include: str, exclude: tuple[str, ...] = (), kind: str = "simple", **more: Any) -> dict[str, Any]:
    return {
        "id": "019c0000-0000-7000-8000-0000000000aa",
        "includeRules": [{"type": kind, "pattern": pattern} for pattern in include],
        "excludeRules": [{"type": kind, "pattern": pattern} for pattern in exclude],
        **more,
    }


def redirecting(destination: str | None, *pages: dict[str, Any]) -> Experiment:
    return arm(experiment(delivery_type="redirect", targeting={"pageRules": list(pages)}), 1, redirect_url=destination)


@pytest.mark.parametrize(
    ("destination", "pages"),
    [
        ("https://shop.example/other", [page("https://shop.example/product")]),
        ("https://shop.example/product?view=b", [page("https://shop.example/product")]),
        ("https://shop.example/Product/?view=b", [page("/product")]),
        ("https://shop.example/product?view=b", [page("https://shop.example/product?view=a")]),
        ("https://other.example/product", [page("https://shop.example/product")]),
        ("https://shop.example/products/sale", [page("/products/*", exclude=("/products/sale",))]),
        ("https://shop.example/products/x", [page("/products/*", disabled=True)]),
        ("https://shop.example/products/x", [page("/products/*", include=False)]),
        ("https://shop.example/products/x", []),
        (None, [page("/products/*")]),
    ],
)
def test_redirects__destination_elsewhere__is_accepted(destination: str | None, pages: list[dict[str, Any]]) -> None:
    check_redirects(redirecting(destination, *pages))


@pytest.mark.parametrize(
    ("destination", "pages"),
    [
        ("https://shop.example/product", [page("https://shop.example/product")]),
        ("https://shop.example/products/x", [page("/products/*")]),
        ("https://shop.example/products/x?view=b", [page("/products/*")]),
        ("https://shop.example/product?view=b", [page("product", kind="regex")]),
        ("https://shop.example/a", [page("/b"), page("/a")]),
        ("https://shop.example/product#x", [page("https://shop.example/product")]),
    ],
)
def test_redirects__destination_is_a_source__is_refused_by_path(destination: str, pages: list[dict[str, Any]]) -> None:
    with pytest.raises(RedirectMatchesSourceError) as refusal:
        check_redirects(redirecting(destination, *pages))
    assert refusal.value.fields[0].path == "variations[1].redirect_url"


def test_redirects__mutation_experiment__has_none() -> None:
    before = redirecting("https://shop.example/product", page("https://shop.example/product"))
    check_redirects(replace(before, delivery_type="mutation"))


def test_redirects__null_on_mutation_experiment__is_as_if_omitted() -> None:
    before = arm(experiment(), 1, redirect_url="https://x.example/")
    kept = variations.edit(before, TREATMENT, {"redirect_url": None})
    assert variations.find(kept, TREATMENT).redirect_url == "https://x.example/"
    cleared = variations.edit(replace(before, delivery_type="redirect"), TREATMENT, {"redirect_url": None})
    assert variations.find(cleared, TREATMENT).redirect_url is None


@pytest.mark.parametrize("action", [action for action, needed in NEEDED.items() if needed])
def test_mutations__without_what_the_action_needs__are_refused(action: str) -> None:
    with pytest.raises(ValidationFailedError) as refusal:
        rules.check(arm(experiment(), 1, mutations=({"selector": "a", "action": action},)))
    assert refusal.value.fields[0].path == f"variations[1].mutations[0].{NEEDED[action][0]}"


@pytest.mark.parametrize("action", [action for action, needed in NEEDED.items() if needed])
def test_mutations__with_it__are_accepted(action: str) -> None:
    for name in NEEDED[action]:
        rules.check(arm(experiment(), 1, mutations=({"selector": "a", "action": action, name: "x"},)))


def test_patterns__that_do_not_compile__are_refused_wherever_they_stand() -> None:
    block = {"id": "b", "name": "b", "urlRules": [{"type": "regex", "pattern": "("}], "mutations": []}
    bad = page("(", kind="regex")
    places = {
        "targeting.pageRules[0].includeRules[0].pattern": experiment(targeting={"pageRules": [bad]}),
        "goalPageRules[0].includeRules[0].pattern": experiment(goal_page_rules=(bad,)),
        "variations[1].url_blocks[0].urlRules[0].pattern": arm(experiment(), 1, url_blocks=(block,)),
    }
    for path, made in places.items():
        with pytest.raises(UnsafeRegexError) as refusal:
            rules.check(made)
        assert refusal.value.fields[0].path == path


EXPLODING = [
    "(a+)+$",
    "(a*)*",
    "((a+)b?)+",
    "(?:x+x+)+y",
    "(a|b+)*",
    "([a-z]+)*",
    "(a+){10}",
    "(a{2,})+",
    "(a{1,9}){3,}",
    "((a+))*?",
    "(?:a|aa)+b",
    "(a|a)*b",
    "(?:(a|aa))+b",
    "([ab]|a)*c",
    "(a?a)+b",
    "(a?){20}a{20}b",
    "a?" * 30 + "a" * 30,
]
HARMLESS = [
    "(?<x>a|ab)+c",
    "(?:a|)+b",
    "(?:|a)+b",
    "(?:(?:a|A))+b",
    "^/products/.*",
    r"^https?://[^/]+/(en|de)?/products/[^?]*(\?.*)?$",
    "(?:foo|bar)+",
    "((a|b)c)+",
    "(?:a|aa)b",
    ".*x.*",
    "(en|de)/.+",
    r"\(a+\)+",
    "[(a+)+]",
    "(?:/[^/]+)?",
    "(foo){3}",
    "a{2,}b+",
    "(a?)b",
    "^a{500}",
    "",
]


@pytest.mark.parametrize("source", EXPLODING)
def test_patterns__repetition_of_a_repetition__is_refused(source: str) -> None:
    with pytest.raises(UnsafeRegexError):
        rules.check(experiment(targeting={"pageRules": [page(source, kind="regex")]}))


@pytest.mark.parametrize("source", HARMLESS)
def test_patterns__one_repetition_after_another__are_accepted(source: str) -> None:
    rules.check(experiment(targeting={"pageRules": [page(source, kind="regex")]}))


@pytest.mark.parametrize("piece", ["(", "\\", "[", "{", "{1", "(a", "*", "((((a+"])
def test_patterns__hostile_text__is_looked_through_at_once(piece: str) -> None:
    began = time.thread_time()
    problem_of((piece * 500)[:500])
    assert time.thread_time() - began < 0.5


@pytest.mark.parametrize("zone", ["Europe/Berlin", "UTC", "America/New_York"])
def test_time_zone__of_the_database__is_accepted(zone: str) -> None:
    rules.check(experiment(results_weekdays={"days": ["monday"], "timezone": zone}))


@pytest.mark.parametrize("zone", ["Mars/Phobos", "", "../etc/passwd", "/etc/passwd", "Europe", "\0", "Europe/Berlin\n"])
def test_time_zone__anything_else__is_refused(zone: str) -> None:
    with pytest.raises(ValidationFailedError):
        rules.check(experiment(results_weekdays={"days": ["monday"], "timezone": zone}))


@pytest.mark.parametrize("flags", [(True, True), (False, False)])
def test_control__not_exactly_one__is_refused(flags: tuple[bool, bool]) -> None:
    with pytest.raises(ValidationFailedError):
        rules.check(arm(arm(experiment(), 0, is_control=flags[0]), 1, is_control=flags[1]))


def arms(count: int) -> Experiment:
    first = experiment().variations[0]
    more = [replace(first, id=f"v{n}", public_id=None, is_control=n == 0, weight=1 / count) for n in range(count)]
    return experiment(variations=tuple(more))


def test_variations__ten_in_use__takes_no_eleventh() -> None:
    with pytest.raises(LimitReachedError):
        variations.add(arms(10), {"name": "x"}, "new", "1")
    assert len(variations.add(arms(9), {"name": "x"}, "new", "1").variations) == 10


def test_variations__two_in_use__lose_none() -> None:
    with pytest.raises(ValidationFailedError):
        rules.check(variations.archive(experiment(), TREATMENT, now=LATER, user_id=USER))
    with pytest.raises(ValidationFailedError):
        rules.check(variations.delete(experiment(), TREATMENT))


def test_archive__control__is_refused() -> None:
    with pytest.raises(ValidationFailedError):
        variations.archive(arms(3), "v0", now=LATER, user_id=USER)


def test_archive__twice__changes_nothing_the_second_time() -> None:
    once = variations.archive(arms(3), "v2", now=NOW, user_id=USER)
    assert variations.archive(once, "v2", now=LATER, user_id=USER) == once
    back = variations.unarchive(once, "v2")
    assert back == arms(3)


@pytest.mark.parametrize("status", ["qa", "running", "completed"])
def test_delete_variation__not_a_draft__is_refused(status: Any) -> None:
    with pytest.raises(NotDeletableError):
        variations.delete(in_status(status), TREATMENT)


@pytest.mark.parametrize(
    ("weights", "are_whole"), [((0.333333,) * 3, True), ((0.333332,) * 3, False), ((0.5, 0.5), True)]
)
def test_weights__sum_to_1_within_a_millionth__the_border_included(weights: tuple[float, ...], are_whole: bool) -> None:
    arms = tuple(replace(experiment().variations[0], id=str(n), weight=weight) for n, weight in enumerate(weights))
    assert rules.weights_are_whole(replace(experiment(), variations=arms)) == are_whole


@pytest.mark.parametrize("weights", [{CONTROL: 1.0}, {CONTROL: 0.5, "x": 0.5}, {CONTROL: 0.5, "1000000001": 0.5}])
def test_weigh__not_each_variation_in_use_once__is_refused(weights: dict[str, float]) -> None:
    with pytest.raises(ValidationFailedError):
        variations.weigh(experiment(), weights)


def test_find__foreign_id__is_not_found() -> None:
    with pytest.raises(NotFoundError):
        variations.find(experiment(), EXPERIMENT)


def test_initial__nothing_said__shares_equally_and_the_first_is_control() -> None:
    made = variations.initial([{"name": n} for n in "abc"], [("1", "1"), ("2", "2"), ("3", "3")], experiment())
    assert [(arm.weight, arm.is_control) for arm in made.variations] == [(1 / 3, True), (1 / 3, False), (1 / 3, False)]
    assert all(isinstance(arm, Variation) for arm in made.variations)


URI = "data:image/png;base64,"


@pytest.mark.parametrize(
    ("code", "too_long"),
    [
        (f"'{URI}{'A' * (MAX_LENGTH - len(URI))}'", False),
        (f"'{URI}{'A' * (MAX_LENGTH - len(URI) + 1)}'", True),
        (f"url({URI}{'A' * (MAX_LENGTH - len(URI))})", False),
        (f"url({URI}{'A' * (MAX_LENGTH - len(URI) + 1)})", True),
        (f"url({URI}{'A' * (MAX_LENGTH - len(URI) + 1)}", True),
        (f"url(\"data:image/svg+xml;utf8,<svg xmlns='x'>{' a' * 3000}</svg>\")", True),
        (f"DATA:image/png,{'A' * 5000}", True),
        (f"data:,{'A' * 5000}", True),
        ("x" * 200_000, False),
        (f"var o = {{data: '{'A' * 5000}'}}", False),
    ],
)
def test_data_uri__at_the_border__is_told_apart(code: str, too_long: bool) -> None:
    assert has_oversized_data_uri(code) is too_long


@pytest.mark.parametrize("piece", ["data:,", "'data:,'", "data:;a=b", "data:" + ";a" * 50])
def test_data_uri__hostile_repetition__is_read_in_time(piece: str) -> None:
    code = (piece * 200_000)[:200_000]
    began = time.process_time()
    has_oversized_data_uri(code)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("start", "end", "path"),
    [
        (NOW, None, "start_at"),
        (None, NOW, "end_at"),
        ("2026-05-02", "2026-05-01", "end_at"),
        ("2026-05-01", "2026-05-01", "end_at"),
    ],
)
def test_schedule__in_the_past_or_upside_down__is_refused(start: str | None, end: str | None, path: str) -> None:
    with pytest.raises(ValidationFailedError) as refusal:
        check_times(start, end, LATER)
    assert refusal.value.fields[0].path == path


def test_checklist__plain_experiment__passes() -> None:
    assert {item.status for item in checklist(experiment(), approval_required=False)} == {"pass"}


@pytest.mark.parametrize(
    ("made", "key", "status"),
    [
        (experiment(goals=()), "goals", "warn"),
        (arm(experiment(), 1, custom_css=None), "treatments", "warn"),
        (experiment(traffic_allocation=0.0), "traffic", "warn"),
        (arm(experiment(), 1, weight=0.4), "weights", "fail"),
        (redirecting(None), "treatments", "fail"),
        (redirecting("https://x.example/"), "redirects", "warn"),
        (redirecting("https://x.example/", page("https://x.example/")), "redirects", "fail"),
        (arm(experiment(), 1, redirect_url="https://x.example/"), "redirects", "warn"),
        (experiment(targeting={"pagerules": []}), "targeting", "warn"),
        (experiment(), "approval", "fail"),
    ],
)
def test_checklist__something_missing__says_so(made: Experiment, key: str, status: str) -> None:
    found = {item.key: item for item in checklist(made, approval_required=key == "approval")}
    assert found[key].status == status
    assert found[key].message
