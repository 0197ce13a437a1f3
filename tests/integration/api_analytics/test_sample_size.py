"""The sample size calculator over HTTP."""

from typing import Any

import pytest

from tests.integration.api_analytics.conftest import Lab

Json = dict[str, Any]
RATE: Json = {"baseline_rate": 0.03, "mde": 0.1}
MONEY: Json = {"mean": 4.0, "sd": 20.0, "mde": 0.05}


def ask(lab: Lab, body: Json) -> Any:
    return lab.client.post("/sample-size", body)


@pytest.mark.parametrize(
    ("extra", "each", "total"),
    [
        ({}, 53_211, 106_422),
        ({"tail": "one-sided"}, 41_914, 83_828),
        ({"treatments": 2}, 64_439, 193_317),
        ({"treatments": 3}, 70_974, 283_896),
        ({"baseline_rate": 0.1, "mde": 0.2}, 3_841, 7_682),
        ({"baseline_rate": 0.2, "mde": 0.25, "alpha": 0.05, "power": 0.8, "tail": "two-sided"}, 1_094, 2_188),
    ],
)
def test_sample_size__worked_values__to_the_visitor(lab: Lab, extra: Json, each: int, total: int) -> None:
    answer = ask(lab, {**RATE, **extra})
    assert answer.status == 200, answer.body
    assert answer.json() == {
        "engine": "fixed",
        "spending": None,
        "futility": None,
        "looks": None,
        "required_sample_per_variant": each,
        "required_total_visitors": total,
        "estimated_days": None,
        "recommended_days": None,
        "message": None,
        "detectable_effects": [],
    }


def test_sample_size__of_money__is_that_of_means(lab: Lab) -> None:
    found = ask(lab, {**MONEY, "daily_visitors": 1000}).json()
    assert found["required_sample_per_variant"] == 156_978
    assert found["estimated_days"] == pytest.approx(313.956)


@pytest.mark.parametrize(
    ("engine", "each"),
    [
        ({"engine": "fixed"}, 53_211),
        ({"engine": "sequential"}, 91_628),
        ({"engine": "group_sequential"}, 55_823),
        ({"engine": "group_sequential", "spending": {"family": "pocock"}}, 67_692),
        ({"engine": "group_sequential", "spending": {"family": "hwang_shih_decani", "gamma": -4}, "looks": 5}, 54_562),
        ({"engine": "group_sequential", "futility": {"family": "obrien_fleming", "gamma": None}}, 65_233),
        ({"engine": "group_sequential", "futility": None, "looks": 1}, 53_211),
    ],
)
def test_sample_size__by_engine__is_what_its_test_needs(lab: Lab, engine: Json, each: int) -> None:
    answer = ask(lab, {**RATE, **engine})
    assert answer.status == 200, answer.body
    assert answer.json()["required_sample_per_variant"] == each
    assert answer.json()["engine"] == engine["engine"]


@pytest.mark.parametrize("engine", ["fixed", "sequential", "group_sequential"])
@pytest.mark.parametrize("quantity", [RATE, MONEY])
def test_sample_size__with_traffic__has_days_weeks_and_the_curve(lab: Lab, engine: str, quantity: Json) -> None:
    size = ask(lab, {**quantity, "engine": engine, "daily_visitors": 10_000}).json()
    assert size["estimated_days"] == pytest.approx(size["required_total_visitors"] / 10_000)
    assert size["recommended_days"] % 7 == 0
    assert 0 <= size["recommended_days"] - size["estimated_days"] < 7
    curve = size["detectable_effects"]
    assert 20 < len(curve) <= 60
    assert all(point["visitors"] == point["day"] * 10_000 for point in curve)
    effects = [point["mde"] for point in curve]
    assert effects == sorted(effects, reverse=True)
    planned = next(point["mde"] for point in curve if point["day"] >= size["estimated_days"])
    assert planned == pytest.approx(quantity["mde"], rel=0.05)
    assert planned <= quantity["mde"]


def test_sample_size__less_than_a_week__is_reported(lab: Lab) -> None:
    size = ask(lab, {**RATE, "daily_visitors": 50_000}).json()
    assert (size["recommended_days"], "less than one week" in size["message"]) == (7, True)


def test_sample_size__looks_by_default__are_one_a_day(lab: Lab) -> None:
    body = {**RATE, "engine": "group_sequential"}
    looks = [ask(lab, {**body, "daily_visitors": daily}).json()["looks"] for daily in (50_000, 10_000, 100)]
    assert looks == [7, 11, 60]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"looks": 5}, "looks"),
        ({"engine": "sequential", "spending": {"family": "pocock"}}, "spending"),
        ({"engine": "fixed", "futility": {"family": "pocock"}}, "futility"),
        ({"engine": "group_sequential", "looks": 13, "daily_visitors": 10_000}, "looks"),
        ({"engine": "group_sequential", "spending": {"family": "hwang_shih_decani"}}, "spending.gamma"),
        ({"engine": "group_sequential", "spending": {"family": "pocock", "gamma": 1}}, "spending.gamma"),
        ({"engine": "group_sequential", "futility": {"family": "hwang_shih_decani", "gamma": None}}, "futility.gamma"),
        ({"engine": "sequential", "baseline_rate": 0.5, "mde": 1}, "mde"),
        ({"engine": "sequential", "daily_visitors": 5e-324}, "daily_visitors"),
    ],
)
def test_sample_size__fields_of_another_engine__are_422_and_named(lab: Lab, body: Json, path: str) -> None:
    answer = ask(lab, {**RATE, **body})
    assert (answer.status, answer.paths) == (422, [path]), answer.body


@pytest.mark.parametrize("daily", [1e-3, 1e15])
@pytest.mark.parametrize("engine", ["fixed", "sequential", "group_sequential"])
def test_sample_size__extreme_traffic__has_an_answer(lab: Lab, engine: str, daily: float) -> None:
    for quantity in (RATE, MONEY):
        assert ask(lab, {**quantity, "engine": engine, "daily_visitors": daily}).status == 200


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"engine": "bayesian"}, "engine"),
        ({"engine": None}, "engine"),
        ({"looks": 0}, "looks"),
        ({"looks": 101}, "looks"),
        ({"looks": 2.5}, "looks"),
        ({"spending": "pocock"}, "spending"),
        ({"spending": None}, "spending"),
        ({"spending": {"family": "haybittle_peto"}}, "spending.family"),
        ({"spending": {"family": "hwang_shih_decani", "gamma": 41}}, "spending.gamma"),
    ],
)
def test_sample_size__engine_out_of_bounds__is_400_and_named(lab: Lab, body: Json, path: str) -> None:
    answer = ask(lab, {**RATE, "engine": "group_sequential", **body})
    assert (answer.status, answer.paths) == (400, [path]), answer.body


def test_sample_size__shops_defaults__are_what_is_not_stated(lab: Lab) -> None:
    told = lab.client.patch("/shop/defaults", {"alpha": 0.2, "power": 0.5, "correction_method": "none"})
    assert told.status == 200, told.body
    silent = ask(lab, {**RATE, "treatments": 2}).json()
    assert silent == ask(lab, {**RATE, "treatments": 2, "alpha": 0.2, "power": 0.5}).json()
    assert silent["required_sample_per_variant"] == ask(lab, RATE).json()["required_sample_per_variant"]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"mde": 0.1}, "baseline_rate"),
        ({**RATE, "mean": 4.0}, "mean"),
        ({**RATE, "sd": 4.0}, "sd"),
        ({**RATE, **MONEY}, "mean"),
        ({"mean": 4.0, "mde": 0.1}, "sd"),
        ({"sd": 4.0, "mde": 0.1}, "mean"),
        ({"baseline_rate": 0.5, "mde": 1}, "mde"),
        ({"baseline_rate": 5e-324, "mde": 0.001}, "mde"),
        ({"mean": 1e-300, "sd": 1e300, "mde": 0.1}, "mde"),
        ({**RATE, "daily_visitors": 5e-324}, "daily_visitors"),
    ],
)
def test_sample_size__impossible__is_422_and_names_the_field(lab: Lab, body: Json, path: str) -> None:
    answer = ask(lab, body)
    assert (answer.status, answer.paths) == (422, [path]), answer.body


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("alpha", [0.001, 0.2], [0.0009999, 0.2000001, 0, -0.05, "0.05", True, None, []]),
        ("power", [0.5, 0.99], [0.4999999, 0.9900001, 1, "0.8", None]),
        ("mde", [0.001, 1], [0.0009999, 1.0000001, -0.1, "10 %", None]),
        ("baseline_rate", [1e-3, 0.49], [-1e-9, 0, 1, 1.0000001, "0.03", None]),
        ("treatments", [1, 9], [0, 10, -1, 1.5, "2", None]),
        ("daily_visitors", [1, 1e12, 0.5], [-1, 0, "1000", None]),
        ("tail", ["one-sided", "two-sided"], ["left", None]),
    ],
)
def test_sample_size__border__is_held(lab: Lab, name: str, inside: list[Any], outside: list[Any]) -> None:
    for value in inside:
        assert ask(lab, {**RATE, name: value}).status == 200, value
    for value in outside:
        answer = ask(lab, {**RATE, name: value})
        assert (answer.status, answer.paths) == (400, [name]), value


@pytest.mark.parametrize("name", ["mean", "sd"])
@pytest.mark.parametrize("value", [0, -1, "4", None])
def test_sample_size__money_that_is_none__is_400(lab: Lab, name: str, value: Any) -> None:
    answer = ask(lab, {**MONEY, name: value})
    assert (answer.status, answer.paths) == (400, [name])


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"1e400", b"-1e400"])
def test_sample_size__number_that_is_none__is_no_json(lab: Lab, number: bytes) -> None:
    for name in (b"mde", b"baseline_rate", b"daily_visitors"):
        answer = lab.client.request("POST", "/sample-size", raw=b'{"%s": %s}' % (name, number))
        assert (answer.status, answer.code) == (400, "invalid_json")


def test_sample_size__key_without_the_scope__is_refused(lab: Lab) -> None:
    key = lab.api.key(["experiments:write"], shop_id=lab.tenant.shop.id).text
    assert lab.api.client(key).post("/sample-size", RATE).code == "insufficient_scope"
