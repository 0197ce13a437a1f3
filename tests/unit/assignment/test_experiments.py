"""Experiments: each step of section 2.1 of docs/data-model.md in its order."""

from typing import Any

import pytest

from abtest.domain.assignment.decide import decide, prepare, prepare_served, visitor_of
from abtest.domain.assignment.hash import bucket, fold
from tests.support.any_json import any_json
from tests.unit.assignment.configs import MONDAY_NOON, URL, assigned, decided, experiment, id_in, on, people, share

ONE = fold("one")
MONDAYS = {"days": ["monday"], "zone": "UTC"}
NOBODY = people({"country": "nowhere"})
ELSEWHERE = on("/elsewhere")


def variation(found: Any) -> str | None:
    return str(found["variation_id"]) if found else None


def test_variation__is_the_one_whose_range_holds_the_bucket() -> None:
    for start, end, expected in [(0, 5000, "a"), (5000, 10000, "b")]:
        assert variation(assigned(experiment(), id_in(ONE, start, end))) == expected


def test_assignment__says_everything() -> None:
    assert assigned(experiment(epoch=3), id_in(fold("one:3"), 0, 5000)) == {
        "experiment_id": "one",
        "variation_id": "a",
        "variation_index": 0,
        "assignment_epoch": 3,
        "is_control": True,
        "active": True,
    }


def test_assignment__hands_out_the_config_s_own_documents() -> None:
    config = {"experiments": [experiment()]}
    (found,) = decide(prepare(any_json(config)), visitor_of("v"), URL, MONDAY_NOON).assignments
    assert found.experiment is config["experiments"][0]
    assert found.variation in found.experiment["variations"]


def test_visitor__outside_the_traffic__gets_nothing() -> None:
    assert assigned(experiment(coverage=0.5), id_in(ONE, 2500, 5000)) is None
    assert assigned(experiment(coverage=0.5), id_in(ONE, 0, 2500)) is not None


@pytest.mark.parametrize("visitor", [{}, {"id": ""}, "", None, 5, {"id": 7, "customer_id": ""}])
def test_visitor__without_any_id__gets_nothing_but_what_is_forced(visitor: Any) -> None:
    assert assigned(experiment(), visitor) is None
    assert variation(assigned(experiment(), visitor, force={"one": "b"})) == "b"


@pytest.mark.parametrize(("wish", "expected"), [("b", "b"), ("1", "b"), (1, "b"), ("0", "a")])
def test_forced_variation__by_id_or_index__holds_whatever_else_is_said(wish: Any, expected: str) -> None:
    closed = experiment(
        surface="checkout",
        dark=MONDAYS,
        audience=NOBODY,
        pages=ELSEWHERE,
        group={"id": "g", "epoch": 1, "state": 1, "ranges": []},
        coverage=0,
    )
    config = {"holdout": share("h", 10_000), "experiments": [closed]}
    (found,) = decided(config, {"id": "v", "sticky": {"one": "a"}}, force={"one": wish}).assignments
    document = found.document()
    assert (document["variation_id"], document["active"], document["forced"]) == (expected, True, True)
    assert "sticky" not in document


@pytest.mark.parametrize("wish", ["c", "2", "01", "-1", "", None, 2, 1.0, True, [], {}])
def test_forced_variation__that_does_not_exist__forces_nothing(wish: Any) -> None:
    found = assigned(experiment(coverage=0), force={"one": wish})
    assert found is None


def test_forced_experiment__leaves_the_others_as_they_are() -> None:
    config = {"experiments": [experiment("one"), experiment("two"), experiment("three")]}
    free, forced = decided(config), decided(config, force={"two": "b"})
    assert [each.experiment["id"] for each in forced.assignments] == ["one", "two", "three"]
    assert [each for each in forced.assignments if not each.forced] == [
        each for each in free.assignments if each.experiment["id"] != "two"
    ]


def test_held_out_visitor__gets_no_experiment_even_if_sticky() -> None:
    config = {"holdout": share("h", 10_000), "experiments": [experiment()]}
    assert decided(config, {"id": "v", "sticky": {"one": "a"}}).assignments == ()


def test_cohort__is_told_with_a_holdout_and_without_force() -> None:
    within, outside = id_in(fold("h"), 0, 500), id_in(fold("h"), 500, 10_000)
    config = {"holdout": share("h", 500) | {"epoch": 5}}
    assert decided(config, within).cohort == "holdout"
    assert decided(config, outside).cohort == "active"
    assert decided(config, {}).cohort == "active"
    assert decided({}, within).cohort is None
    assert decided(config, within, force={"any": "0"}).cohort is None


def test_holdout__is_drawn_by_customer__where_there_is_no_visitor_id() -> None:
    held = id_in(fold("h"), 0, 500)
    config = {"holdout": share("h", 500)}
    assert decided(config, {"customer_id": held}).cohort == "holdout"
    assert decided(config, {"id": id_in(fold("h"), 500, 10_000), "customer_id": held}).cohort == "active"


def test_exclusion_group__lets_in_those_in_its_ranges_alone() -> None:
    state = fold("group:g")
    grouped = experiment(group={"id": "g", "epoch": 1, "state": state, "ranges": [[0, 100], [5000, 5100]]})
    for start, end, expected in [(0, 100, True), (100, 5000, False), (5000, 5100, True), (5100, 10000, False)]:
        visitor = id_in(state, start, end)
        assert (assigned(grouped, visitor) is not None) is expected
        assert (assigned(grouped, {"id": visitor, "sticky": {"one": "a"}}) is not None) is expected


def test_experiments_of_a_group__never_share_a_visitor() -> None:
    state = fold("group:g")
    halves = [[[0, 5000]], [[5000, 10000]]]
    members = [
        experiment(name, group={"id": "g", "epoch": 1, "state": state, "ranges": cut})
        for name, cut in zip(["one", "two"], halves, strict=True)
    ]
    for number in range(200):
        assert len(decided({"experiments": members}, f"visitor {number}").assignments) == 1


@pytest.mark.parametrize(
    "unreached",
    [
        {"surface": "checkout"},
        {"dark": MONDAYS},
        {"audience": NOBODY},
    ],
    ids=["surface", "dark", "audience"],
)
def test_experiment__not_reached__only_attributes_for_those_who_remember(unreached: Any) -> None:
    assert assigned(experiment(**unreached)) is None
    found = assigned(experiment(**unreached), {"id": "v", "sticky": {"one": "b"}})
    assert found is not None
    assert (found["variation_id"], found["active"], found["sticky"]) == ("b", False, True)


@pytest.mark.parametrize("sticky", [{}, {"one": "a"}], ids=["drawn", "remembered"])
def test_experiment__reached_off_its_pages__is_not_active(sticky: Any) -> None:
    found = assigned(experiment(pages=ELSEWHERE), {"id": "v", "sticky": sticky})
    assert found is not None
    assert found["active"] is False
    found = assigned(experiment(pages=on("/a")), {"id": "v", "sticky": sticky})
    assert found is not None
    assert found["active"] is True


def test_surface__must_be_the_visitor_s() -> None:
    assert assigned(experiment(surface="checkout"), {"id": "v", "surface": "checkout"}) is not None
    assert assigned(experiment(), {"id": "v", "surface": "checkout"}) is None


def test_dark_day__is_dark_in_its_zone_alone() -> None:
    late = MONDAY_NOON + 11.5 * 3_600_000
    assert assigned(experiment(dark=MONDAYS), now=late) is None
    assert assigned(experiment(dark={"days": ["monday"], "zone": "Asia/Tokyo"}), now=late) is not None
    assert assigned(experiment(dark={"days": ["monday"], "zone": "No/Where"}), now=late) is not None


def test_audience__sees_derived_given_and_local_attributes() -> None:
    condition = {"country": "DE", "utm.source": "mail", "logged_in": True, "local.Asia/Tokyo.hour": {"$gte": 21}}
    config = {"zones": ["Asia/Tokyo"], "experiments": [experiment(audience=people(condition))]}
    visitor = {"id": "v", "customer_id": "c", "attributes": {"country": "DE"}}
    assert decided(config, visitor, url=f"{URL}?utm_source=mail").assignments
    assert not decided(config, visitor).assignments


def test_sticky_variation__survives_weights_and_traffic_that_would_draw_another() -> None:
    visitor = id_in(ONE, 0, 5000)
    assert variation(assigned(experiment(), visitor)) == "a"
    for changed in (experiment(weights=(0, 1)), experiment(coverage=0)):
        found = assigned(changed, {"id": visitor, "sticky": {"one": "a"}})
        assert found is not None
        assert (found["variation_id"], found["active"], found["sticky"]) == ("a", True, True)


@pytest.mark.parametrize("sticky", [{"one": "gone"}, {"one:2": "b"}, {"one": ["b"]}, {"one": None}, {"two": "b"}])
def test_sticky_variation__that_is_none__is_drawn_anew(sticky: Any) -> None:
    found = assigned(experiment(), {"id": id_in(ONE, 0, 5000), "sticky": sticky})
    assert variation(found) == "a"
    assert "sticky" not in (found or {})


def test_sticky_variation__is_kept_by_the_seed_of_its_epoch() -> None:
    visitor = id_in(fold("one:2"), 0, 5000)
    remembered = {"id": visitor, "sticky": {"one:2": "b", "one": "a"}}
    assert variation(assigned(experiment(epoch=2), remembered)) == "b"


def test_identity_customer__hashes_the_customer_then_the_visitor() -> None:
    gated = experiment(identity="customer")
    low, high = id_in(ONE, 0, 5000), id_in(ONE, 5000, 10_000)
    found = assigned(gated, {"id": low, "customer_id": high})
    assert found is not None
    assert (found["variation_id"], found["identity"]) == ("b", "customer")
    fallback = assigned(gated, {"id": low})
    assert variation(fallback) == "a"
    assert "identity" not in (fallback or {})
    assert variation(assigned(gated, {"customer_id": high})) == "b"
    assert "identity" not in (assigned(gated, {"id": low, "customer_id": high, "sticky": {"one": "a"}}) or {})
    off_page = assigned({**gated, "pages": ELSEWHERE}, {"customer_id": high})
    assert (off_page or {})["active"] is False


def test_customer_without_visitor_id__is_drawn_by_gated_experiments_alone() -> None:
    config = {"experiments": [experiment("one"), experiment("two", identity="customer"), experiment("three")]}
    found = decided(config, {"customer_id": "c"}).assignments
    assert [each.experiment["id"] for each in found] == ["two"]


def test_assignments__drawn_by_both_ids__keep_the_order_of_the_config() -> None:
    gated: Any = {"identity": "customer"}
    config = {"experiments": [experiment(str(n), **(gated if n % 2 == 0 else {})) for n in range(9)]}
    found = decided(config, {"id": "v", "customer_id": "c", "sticky": {"7": "a"}}, force={"3": "a"}).assignments
    assert [each.experiment["id"] for each in found] == list("012345678")


def test_remembered__are_active_assignments_that_were_not_forced() -> None:
    config = {
        "experiments": [experiment("on", epoch=2), experiment("off", pages=ELSEWHERE), experiment("forced")],
    }
    decision = decided(config, force={"forced": "a"})
    assert list(decision.remembered()) == ["on:2"]


def test_overlapping_ranges__go_to_the_first() -> None:
    overlapping = experiment()
    overlapping["variations"][1]["range"] = [-5, 20_000]
    assert variation(assigned(overlapping, id_in(ONE, 0, 5000))) == "a"
    assert variation(assigned(overlapping, id_in(ONE, 5000, 10_000))) == "b"


@pytest.mark.parametrize("url", [None, "", "https://", "http://[", "/a", "not an address", "\ud800", "x" * 10_000])
def test_address__of_any_kind__is_decided_on(url: str | None) -> None:
    assert assigned(experiment(), url=url) is not None
    assert assigned(experiment(pages=on("/a")), url=url) is not None


def test_many_experiments__are_drawn_as_each_alone() -> None:
    many = [experiment(f"experiment {number}", weights=(0.2, 0.3, 0.5), coverage=0.7) for number in range(60)]
    for visitor in ("v", "", "é€😀", "\ud800", "0191f5a0-7b3c-7def-8123-456789abcdef"):
        together = decided({"experiments": many}, {"id": visitor}).document()["assignments"]
        assert together == [found for each in many if (found := assigned(each, {"id": visitor}))]


def test_bucket__decides_alone() -> None:
    counted = sum(1 for n in range(500) if variation(assigned(experiment(), str(n))) == "a")
    assert counted == sum(1 for n in range(500) if bucket(str(n), ONE) < 5000)


def test_experiment_of_a_landing_page__is_decided_by_the_server_of_the_page_alone() -> None:
    config = any_json(
        {
            "experiments": [experiment("other"), experiment(served=True, coverage=0.5), {"id": "one"}],
            "holdout": share("holdout", 0),
            "flags": [{"id": "f", "key": "f", **share("f", 10_000), "on": 1, "off": 0}],
        }
    )
    for start, end in [(0, 2500), (2500, 5000), (5000, 7500)]:
        name = id_in(ONE, start, end)
        whole = decide(prepare(config), visitor_of(name), URL, MONDAY_NOON)
        assert [each.experiment["id"] for each in whole.assignments] == ["other"]
        alone = decide(prepare_served(config, "one"), visitor_of(name), URL, MONDAY_NOON)
        expected = assigned(experiment(coverage=0.5), name)
        assert [each.document() for each in alone.assignments] == ([expected] if expected else [])
        assert alone.flags == {}
        if expected:
            marked = {"id": name, "served": {"one": expected["variation_id"]}}
            assert assigned(experiment(served=True, coverage=0.5), marked) == expected


@pytest.mark.parametrize("config", [{}, {"experiments": None}, {"experiments": [None, 5, {}, {"id": "one"}]}])
def test_experiment_of_a_landing_page__that_cannot_be_read__is_left_out(config: Any) -> None:
    assert decide(prepare_served(config, "one"), visitor_of("v"), URL, MONDAY_NOON).assignments == ()
