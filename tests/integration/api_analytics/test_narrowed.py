"""Results narrowed to ranges, days of the week and segments; over time; counted at once."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.kit import canonical_json
from abtest.kit.clock import parse_milliseconds
from tests.integration.api_analytics.conftest import Lab, ordered, reached, seen

CONTROL, TREATMENT = 0, 1


def at(moment: str) -> int:
    """Unix milliseconds of `03-02T10:00` in the year of the tests."""
    return parse_milliseconds(f"2026-{moment}:00Z")


def rows(found: dict[str, Any], goal: int = 0) -> list[tuple[int, int]]:
    """Visitors and conversions of each variation."""
    return [(row["visitors"], row["conversions"]) for row in found["goals"][goal]["rows"]]


@pytest.fixture
def visited(lab: Lab) -> tuple[Lab, dict[str, Any]]:
    """An experiment of Monday, 2 March, 9:00, with visitors until Wednesday, counted on Wednesday, 12:00."""
    experiment = lab.launched()
    for moment, visitor, variation, converts, device in (
        ("03-02T10:00", "a", CONTROL, True, "mobile"),
        ("03-02T10:14", "b", TREATMENT, False, "mobile"),
        ("03-02T10:15", "c", TREATMENT, True, "desktop"),
        ("03-03T23:10", "d", CONTROL, False, "desktop"),
        ("03-04T00:10", "e", TREATMENT, True, "mobile"),
    ):
        lab.advance_to(moment)
        lab.send(seen(experiment, visitor, variation, data={"device": device, "country": "DE"}))
        if converts:
            lab.api.clock.advance(minutes=1)
            lab.send(reached(experiment, visitor, 0), ordered(visitor, f"o-{visitor}", 10))
    lab.advance_to("03-04T12:00")
    lab.settle()
    return lab, experiment


@pytest.mark.parametrize(
    ("query", "expected", "ends"),
    [
        ({}, [(2, 1), (3, 2)], None),
        ({"from": "2026-03-03"}, [(1, 0), (1, 1)], ("2026-03-03T00:00:00.000Z", None)),
        ({"to": "2026-03-02"}, [(1, 1), (2, 1)], (None, "2026-03-03T00:00:00.000Z")),
        ({"from": "2026-03-03", "to": "2026-03-03"}, [(1, 0), (0, 0)], None),
        ({"to": "2026-03-02T10:15:00Z"}, [(1, 1), (1, 0)], (None, "2026-03-02T10:15:00.000Z")),
        ({"to": "2026-03-02T10:15:01Z"}, [(1, 1), (2, 1)], (None, "2026-03-02T10:30:00.000Z")),
        ({"from": "2026-03-02T10:15:00Z", "to": "2026-03-02T11:00:00Z"}, [(0, 0), (1, 1)], None),
        ({"from": "2026-03-02T11:29:59+01:00"}, [(1, 0), (2, 2)], ("2026-03-02T10:15:00.000Z", None)),
        ({"from": "2030-01-01"}, [(0, 0), (0, 0)], None),
        ({"to": "2001-01-01"}, [(0, 0), (0, 0)], None),
        ({"segment": "device:mobile"}, [(1, 1), (2, 1)], None),
        ({"segment": "device:tablet"}, [(0, 0), (0, 0)], None),
        ({"segment": "source:unknown"}, [(2, 1), (3, 2)], None),
        ({"segment": "device:mobile", "from": "2026-03-03", "to": "2026-03-04"}, [(0, 0), (1, 1)], None),
    ],
)
def test_results__narrowed__are_of_visitors_first_exposed_so(
    visited: tuple[Lab, dict[str, Any]], query: dict[str, str], expected: list[Any], ends: Any
) -> None:
    lab, experiment = visited
    found = lab.results(experiment, **query)
    assert rows(found) == expected
    assert (found["narrowed_to"] is None) == (query == {})
    assert list(found["srm"]["observed"].values()) == [visitors for visitors, _ in expected]
    assert found["goals"][1]["rows"][1]["revenue"] == 10.0 * expected[1][1]
    if ends:
        assert (found["narrowed_to"]["from"], found["narrowed_to"]["to"]) == ends


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"from": "2026-03-04", "to": "2026-03-03"}, "to"),
        ({"from": "2026-03-04T10:00:00Z", "to": "2026-03-04T10:00:00Z"}, "to"),
        ({"segment": "device", "from": "2026-03-04T10:00:00Z"}, "from"),
        ({"segment": "device:mobile", "to": "2026-03-04T23:45:00Z"}, "to"),
    ],
)
def test_range__that_cannot_be_read__is_422_and_named(
    visited: tuple[Lab, dict[str, Any]], query: dict[str, str], field: str
) -> None:
    lab, experiment = visited
    answer = lab.client.get(f"/experiments/{experiment['id']}/results", query=query)
    assert (answer.status, answer.paths) == (422, [field])


def test_results__by_a_dimension__tell_each_value_beside_the_whole(visited: tuple[Lab, dict[str, Any]]) -> None:
    lab, experiment = visited
    found = lab.results(experiment, segment="device")
    assert rows(found) == [(2, 1), (3, 2)]
    assert [(part["values"], part["visitors"], rows(part)) for part in found["segments"]] == [
        ({"device": "mobile"}, 3, [(1, 1), (2, 1)]),
        ({"device": "desktop"}, 2, [(1, 0), (1, 1)]),
    ]
    assert lab.results(experiment)["segments"] is None


def test_weekdays__of_the_results__are_those_of_their_zone(visited: tuple[Lab, dict[str, Any]]) -> None:
    lab, experiment = visited
    # 23:10 UTC on Tuesday is Wednesday in Berlin, and so is 00:10 UTC on Wednesday.
    weekdays = {"days": ["wednesday"], "timezone": "Europe/Berlin"}
    changed = lab.client.patch(f"/experiments/{experiment['id']}", {"results_weekdays": weekdays})
    assert changed.status == 200, changed.body
    found = lab.results(experiment)
    assert rows(found) == [(1, 0), (1, 1)]
    assert found["narrowed_to"]["weekdays"] == {**weekdays, "is_exact": True}
    narrowed = lab.results(experiment, segment="device:mobile")
    assert (rows(narrowed), narrowed["narrowed_to"]["weekdays"]["is_exact"]) == ([(0, 0), (1, 1)], False)
    series = lab.client.get(f"/experiments/{experiment['id']}/results/timeseries").json()
    assert [bucket["goals"][0]["rows"][1]["visitors"] for bucket in series["data"]] == [0, 0, 1]


def test_winsorizing__caps_means_of_everybody_and_says_so(lab: Lab) -> None:
    goal = {"name": "Revenue", "type": "revenue", "winsorize_pct": 0.1}
    experiment = lab.launched(goals=[goal])
    for number in range(20):
        lab.send(seen(experiment, f"v-{number}", number % 2), ordered(f"v-{number}", f"o-{number}", 1))
    lab.send(ordered("v-0", "big", 999), ordered("v-1", "bigger", 4999))
    lab.settle()
    control, treatment = lab.results(experiment)["goals"][0]["rows"]
    assert (control["is_winsorized"], control["winsorized_at"]) == (True, 1.0)
    assert (control["revenue"], control["mean"], treatment["mean"]) == (1009.0, 1.0, 1.0)
    narrowed = lab.results(experiment, to="2026-03-02")["goals"][0]["rows"][0]
    assert (narrowed["is_winsorized"], narrowed["winsorized_at"], narrowed["mean"]) == (False, None, 100.9)


def test_money__in_other_currencies__is_told_apart_in_each_row(lab: Lab) -> None:
    experiment = lab.launched()
    lab.send(seen(experiment, "v", 0), ordered("v", "1", 10))
    lab.send(ordered("v", "2", 12.3, "USD"), ordered("v", "3", 7, "???"), ordered("v", "4", 5.5, "USD"))
    lab.send({**ordered("v", "5", 20, "GBP"), "data": {**ordered("v", "5", 20, "GBP")["data"], **_shop_money(24)}})
    lab.settle()
    row, other = lab.results(experiment)["goals"][1]["rows"]
    assert (row["revenue"], row["converted_revenue"], row["excluded"]) == (34.0, 24.0, 3)
    assert row["foreign_revenue_buckets"] == ["USD:17.80"]
    assert (row["excluded_foreign_revenue"], row["unconverted_revenue"]) == (17.8, None)
    assert (row["unknown_currency_orders"], row["unknown_currency_revenue"]) == (1, 7.0)
    assert (other["foreign_revenue_buckets"], other["converted_revenue"], other["excluded"]) == (None, None, 0)


def _shop_money(amount: float) -> dict[str, Any]:
    return {"shopRevenue": amount, "shopCurrency": "EUR"}


@pytest.mark.parametrize(("orders", "stitched", "low"), [(19, 1, False), (20, 15, True), (20, 16, False)])
def test_coverage__names_orders_whose_visitors_were_not_seen(lab: Lab, orders: int, stitched: int, low: bool) -> None:
    experiment = lab.launched()
    lab.send(*({"type": "pageview", "visitorId": f"v-{number}"} for number in range(stitched)))
    lab.send(*(ordered(f"v-{number}", f"o-{number}", 1) for number in range(orders)))
    lab.settle()
    coverage = lab.results(experiment)["coverage"]
    assert coverage == {"mixed_populations": low, "reasons": ["low_order_stitch_rate"] if low else []}
    assert lab.client.get("/analytics/stats").json()["coverage"] == coverage


def test_coverage__names_consent_that_is_asked_for(lab: Lab) -> None:
    experiment = lab.launched()
    consent = {"consentMode": {"enabled": True, "provider": "provider_a"}}
    answer = lab.client.patch("/settings/consent", consent)
    assert answer.status == 200, answer.body
    assert lab.results(experiment)["coverage"] == {"mixed_populations": True, "reasons": ["consent_gated_sdk"]}


def test_series__cumulative_and_by_bucket__have_every_day(visited: tuple[Lab, dict[str, Any]]) -> None:
    lab, experiment = visited
    path = f"/experiments/{experiment['id']}/results/timeseries"
    days = lab.client.get(path, query={"mode": "per_bucket", "timezone": "europe/berlin"}).json()
    assert days["timezone"] == "Europe/Berlin"
    assert [(one["date"], _numbers(one)) for one in days["data"]] == [
        ("2026-03-02", [(1, 1), (2, 1)]),
        ("2026-03-03", [(0, 0), (0, 0)]),
        ("2026-03-04", [(1, 0), (1, 1)]),
    ]
    assert days["data"][0]["start"] == "2026-03-01T23:00:00.000Z"
    whole = lab.client.get(path).json()["data"]
    assert [_numbers(one) for one in whole] == [[(1, 1), (2, 1)], [(2, 1), (2, 1)], [(2, 1), (3, 2)]]
    assert whole[-1]["goals"][1]["rows"][1] == {
        "variation_id": experiment["variations"][1]["id"],
        "visitors": 3,
        "conversions": 2,
        "count": 2,
        "rate": 2 / 3,
        "mean": 20 / 3,
        "ratio": None,
        "revenue": 20.0,
    }
    hours = lab.client.get(path, query={"granularity": "hour", "mode": "per_bucket", "to": "2026-03-02"}).json()["data"]
    assert [hour["start"][11:16] for hour in hours] == [f"{hour:02}:00" for hour in range(9, 24)]
    assert [_numbers(hour) for hour in hours[:2]] == [[(0, 0), (0, 0)], [(1, 1), (2, 1)]]
    weeks = lab.client.get(path, query={"granularity": "week"}).json()["data"]
    assert [(week["date"], _numbers(week)) for week in weeks] == [("2026-03-02", [(2, 1), (3, 2)])]


def _numbers(bucket: dict[str, Any]) -> list[tuple[int, int]]:
    return [(row["visitors"], row["conversions"]) for row in bucket["goals"][0]["rows"]]


@pytest.mark.parametrize(
    ("query", "status", "field"),
    [
        ({"timezone": "Europe/Nowhere"}, 422, "timezone"),
        ({"granularity": "hour", "from": "2026-01-01", "to": "2026-02-10"}, 200, ""),
        ({"granularity": "hour", "from": "2026-01-01", "to": "2026-02-11"}, 422, "granularity"),
        ({"granularity": "minute"}, 400, "granularity"),
        ({"mode": "running"}, 400, "mode"),
    ],
)
def test_series__too_long_or_of_unknown_form__is_refused(
    visited: tuple[Lab, dict[str, Any]], query: dict[str, str], status: int, field: str
) -> None:
    lab, experiment = visited
    answer = lab.client.get(f"/experiments/{experiment['id']}/results/timeseries", query=query)
    assert answer.status == status
    assert answer.paths == [field] if field else len(answer.json()["data"]) == 41 * 24


def test_series__before_any_count__is_empty(lab: Lab) -> None:
    path = f"/experiments/{lab.launched()['id']}/results"
    assert lab.client.get(f"{path}/timeseries").json()["data"] == []
    assert lab.client.get(f"{path}/segments", query={"dimension": "device"}).json()["data"] == []


def test_segments__in_two_dimensions__are_ordered_by_visitors(visited: tuple[Lab, dict[str, Any]]) -> None:
    lab, experiment = visited
    path = f"/experiments/{experiment['id']}/results/segments"
    goal_id = experiment["goals"][0]["id"]
    found = lab.client.get(path, query={"dimension": ["country", "device"], "goal_id": goal_id}).json()
    assert [(part["values"], rows(part)) for part in found["data"]] == [
        ({"device": "mobile", "country": "DE"}, [(1, 1), (2, 1)]),
        ({"device": "desktop", "country": "DE"}, [(1, 0), (1, 1)]),
    ]
    assert (found["correction"], found["warnings"], found["left_out"]) == ("holm", [], 0)
    plain = lab.client.get(path, query={"dimension": "device", "correction": "none"}).json()
    assert [warning["code"] for warning in plain["warnings"]] == ["uncorrected_segments"]
    assert lab.client.get(path, query={"dimension": ["device", "device"]}).paths == ["dimension"]
    assert lab.client.get(path, query={"dimension": ["device", "device"]}).status == 422
    assert lab.client.get(path, query={"dimension": ["device", "country", "source"]}).status == 400
    assert lab.client.get(path).status == 400


def test_segments__of_one_goal__are_corrected_together(lab: Lab) -> None:
    experiment = lab.launched()
    for number in range(80):
        device = "mobile" if number % 4 < 2 else "desktop"
        lab.send(seen(experiment, f"v-{number}", number % 2, data={"device": device}))
        if number % 2 and number % 3:
            lab.send(reached(experiment, f"v-{number}", 0))
    lab.settle()
    path = f"/experiments/{experiment['id']}/results/segments"
    parts = lab.client.get(path, query={"dimension": "device", "engine": "frequentist"}).json()["data"]
    treated = [part["goals"][0]["rows"][1] for part in parts]
    assert min(row["adjusted_p_value"] for row in treated) == pytest.approx(2 * min(row["p_value"] for row in treated))


def test_refresh__asked_twice__is_one_job_and_one_message(lab: Lab) -> None:
    experiment = lab.launched()
    path = f"/experiments/{experiment['id']}/results/refresh"
    first, second = lab.client.post(path), lab.client.post(path)
    assert (first.status, second.status, second.json()) == (202, 202, first.json())
    job_id = first.json()["job_id"]
    assert [canonical_json.loads(body) for body in lab.refreshes.bodies] == [
        {"job_id": job_id, "shop_id": lab.tenant.shop.id}
    ]
    found = lab.client.get(f"{path}/{job_id}").json()
    assert (found["status"], found["experiment_id"], found["generation"]) == ("queued", experiment["id"], None)
    other = lab.launched(name="Other")
    assert lab.client.post(f"/experiments/{other['id']}/results/refresh").json() != first.json()
    assert lab.client.get(f"/experiments/{other['id']}/results/refresh/{job_id}").status == 404
    assert lab.client.post(f"/experiments/{lab.api.world.new_id()}/results/refresh").status == 404


def test_refresh__while_the_queue_is_away__waits_for_the_sweep(lab: Lab) -> None:
    lab.refreshes.available = False
    path = f"/experiments/{lab.launched()['id']}/results/refresh"
    assert lab.client.post(path).status == 202


def test_refresh__more_than_thirty_times_a_minute__is_429(lab: Lab) -> None:
    path = f"/experiments/{lab.launched()['id']}/results/refresh"
    statuses = [lab.client.post(path).status for _ in range(31)]
    assert statuses == [202] * 30 + [429]


def test_sub_routes__of_another_shop__are_unknown(visited: tuple[Lab, dict[str, Any]]) -> None:
    lab, experiment = visited
    other = lab.api.client(lab.api.tenant("Other").admin)
    path = f"/experiments/{experiment['id']}/results"
    for below in ("timeseries", "segments?dimension=device"):
        name, _, text = below.partition("?")
        query = dict([text.split("=")]) if text else None
        assert other.get(f"{path}/{name}", query=query).status == 404
    assert other.post(f"{path}/refresh").status == 404
