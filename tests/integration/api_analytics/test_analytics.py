"""Analytics of a shop over HTTP: days, figures, the funnel, the holdout, the program."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.api_analytics.conftest import Lab, ordered, reached, seen


def viewed(visitor: str, **data: Any) -> dict[str, Any]:
    """A page view."""
    return {"type": "pageview", "visitorId": visitor, "data": data}


def custom(visitor: str, name: str) -> dict[str, Any]:
    """A step of the funnel."""
    return {"type": "custom", "visitorId": visitor, "data": {"event_name": name}}


def read(lab: Lab, path: str, **query: Any) -> Any:
    """What an analytics route says."""
    answer = lab.client.get(f"/analytics/{path}", query=query)
    assert answer.status == 200, answer.body
    return answer.json()


@pytest.fixture
def open_shop(lab: Lab) -> Lab:
    """Visitors of Monday 2 March, 23:30 UTC, and Tuesday; counted on Wednesday."""
    lab.advance_to("03-02T23:30")
    lab.send(viewed("a", device="mobile"), viewed("b", device="desktop"), custom("b", "add_to_cart"))
    lab.advance_to("03-03T10:00")
    lab.send(viewed("a", device="mobile"), viewed("c", device="mobile"), custom("c", "checkout_started"))
    lab.send(ordered("a", "1", 10), ordered("a", "2", 5.5, "USD"), ordered("c", "3", 7, "???"))
    lab.advance_to("03-04T12:00")
    lab.settle()
    return lab


def test_stats__of_the_shop__count_distinct_visitors_of_each_day_of_the_zone(open_shop: Lab) -> None:
    found = read(open_shop, "stats", **{"from": "2026-03-02", "to": "2026-03-04"})
    assert found["timezone"] == "UTC"
    assert [(row["date"], row["visitors"], row["conversions"], row["revenue"]) for row in found["data"]] == [
        ("2026-03-02", 2, 0, 0.0),
        ("2026-03-03", 2, 3, 10.0),
        ("2026-03-04", 0, 0, 0.0),
    ]
    row = found["data"][1]
    assert (row["foreign_revenue_buckets"], row["excluded_foreign_revenue"]) == (["USD:5.50"], 5.5)
    assert (row["unknown_currency_orders"], row["unknown_currency_revenue"]) == (1, 7.0)
    assert (row["converted_revenue"], row["unconverted_revenue"]) == (None, None)
    berlin = read(open_shop, "stats", **{"from": "2026-03-03", "to": "2026-03-03", "timezone": "Europe/Berlin"})
    assert (berlin["timezone"], berlin["data"][0]["visitors"]) == ("Europe/Berlin", 3)


def test_stats__after_a_change_of_currency__leave_former_money_out(open_shop: Lab) -> None:
    tuesday = {"from": "2026-03-03", "to": "2026-03-03"}
    shop_id = open_shop.client.get("/shop").json()["id"]
    for currency, revenue, buckets in (("USD", 5.5, ["EUR:10.00"]), ("JPY", 0.0, ["EUR:10.00", "USD:5.50"])):
        assert open_shop.client.patch(f"/shops/{shop_id}", {"currency": currency}).status == 200
        (row,) = read(open_shop, "stats", **tuesday)["data"]
        assert (row["conversions"], row["revenue"], row["foreign_revenue_buckets"]) == (3, revenue, buckets)
        (day,) = read(open_shop, "data", metric="revenue", group_by="date", **tuesday)["data"]
        assert day["value"] == revenue
        by_device = read(open_shop, "data", metric="revenue", group_by="device", **tuesday)["data"]
        assert sum(each["value"] for each in by_device) == 0.0


def test_stats__without_a_period__are_the_last_28_days(open_shop: Lab) -> None:
    data = read(open_shop, "stats")["data"]
    assert (len(data), data[0]["date"], data[-1]["date"]) == (28, "2026-02-05", "2026-03-04")


def test_stats__of_an_experiment__are_by_the_day_of_first_exposure(lab: Lab) -> None:
    experiment = lab.launched()
    lab.send(seen(experiment, "a", 0), seen(experiment, "b", 1), reached(experiment, "b", 0), ordered("b", "1", 20))
    lab.advance_to("03-03T10:00")
    lab.send(ordered("a", "2", 3.5, "USD"))
    lab.settle()
    asked = {"from": "2026-03-02", "to": "2026-03-03", "experiment_id": experiment["id"]}
    monday, tuesday = read(lab, "stats", **asked)["data"]
    assert (monday["visitors"], monday["conversions"], monday["revenue"]) == (2, 1, 20.0)
    assert (monday["foreign_revenue_buckets"], tuesday["visitors"]) == (["USD:3.50"], 0)
    of_one = read(lab, "stats", **asked, variation_id=experiment["variations"][0]["id"])["data"][0]
    assert (of_one["visitors"], of_one["conversions"], of_one["revenue"]) == (1, 0, 0.0)
    by_public_id = read(lab, "stats", **{**asked, "experiment_id": experiment["public_id"]})
    assert by_public_id["data"][0] == monday


@pytest.mark.parametrize(
    ("query", "status", "field"),
    [
        ({"from": "2025-01-01", "to": "2026-02-04"}, 200, ""),
        ({"from": "2025-01-01", "to": "2026-02-05"}, 422, "from"),
        ({"from": "2026-03-02", "to": "2026-03-01"}, 422, "to"),
        ({"timezone": "Nowhere"}, 422, "timezone"),
        ({"timezone": "../../etc/passwd"}, 422, "timezone"),
        ({"timezone": ""}, 400, "timezone"),
        ({"from": "2026-03-02T00:00:00Z"}, 400, "from"),
        ({"from": "2199-12-31"}, 200, ""),
        ({"to": "2000-01-01"}, 200, ""),
        ({"variation_id": "0192e4a0-0000-7000-8000-000000000000"}, 422, "variation_id"),
        ({"experiment_id": "0192e4a0-0000-7000-8000-000000000000"}, 404, ""),
        ({"experiment_id": "x"}, 400, "experiment_id"),
        ({"timezone": "Antarctica/Casey", "from": "2018-03-01", "to": "2018-03-20"}, 422, "timezone"),
    ],
)
def test_stats__at_and_beyond_their_limits(lab: Lab, query: dict[str, str], status: int, field: str) -> None:
    answer = lab.client.get("/analytics/stats", query=query)
    assert answer.status == status, answer.body
    assert not field or answer.paths == [field]


def test_stats__of_a_variation_of_another_experiment__are_not_found(lab: Lab) -> None:
    mine, other = lab.launched(), lab.launched(name="Other")
    query = {"experiment_id": mine["id"], "variation_id": other["variations"][0]["id"]}
    assert lab.client.get("/analytics/stats", query=query).status == 404
    stranger = lab.api.client(lab.api.tenant("Stranger").admin)
    assert stranger.get("/analytics/stats", query={"experiment_id": mine["id"]}).status == 404


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"metric": "visitors", "group_by": "date"}, [("2026-03-02", 2), ("2026-03-03", 2)]),
        ({"metric": "orders", "group_by": "date"}, [("2026-03-02", 0), ("2026-03-03", 3)]),
        ({"metric": "average_order_value", "group_by": "date"}, [("2026-03-02", None), ("2026-03-03", 10)]),
        ({"metric": "average_order_value", "group_by": "device"}, [("mobile", 10), ("desktop", None)]),
        ({"metric": "visitors", "group_by": "device"}, [("mobile", 3), ("desktop", 1)]),
        ({"metric": "revenue", "group_by": "device"}, [("mobile", 10), ("desktop", 0)]),
        ({"metric": "conversion_rate", "group_by": "device"}, [("mobile", 1), ("desktop", 0)]),
        ({"metric": "events", "group_by": "event_type"}, [("pageview", 4), ("order", 3), ("custom", 2)]),
        ({"metric": "events"}, [("2026-03-02", 3), ("2026-03-03", 6)]),
    ],
)
def test_data__of_the_shop__has_the_metric_of_each_group(
    open_shop: Lab, query: dict[str, str], expected: list[Any]
) -> None:
    found = read(open_shop, "data", **query, **{"from": "2026-03-02", "to": "2026-03-03"})
    assert [(figure["group"], figure["value"]) for figure in found["data"]] == expected


def test_data__of_experiments__names_what_it_tells(lab: Lab) -> None:
    experiment = lab.launched()
    lab.send(seen(experiment, "a", 0), seen(experiment, "b", 1), reached(experiment, "b", 0), ordered("b", "1", 20))
    lab.settle()
    of_all = read(lab, "data", metric="revenue", group_by="experiment")["data"]
    assert of_all == [{"group": experiment["id"], "name": "Headline", "value": 20.0}]
    variations = read(lab, "data", metric="orders", group_by="variation", experiment_id=experiment["id"])["data"]
    assert [figure["value"] for figure in variations] == [1, 0]
    goals = read(lab, "data", metric="conversion_rate", group_by="goal", experiment_id=experiment["id"])["data"]
    assert {figure["name"]: figure["value"] for figure in goals} == {"Buy": 0.5, "Revenue": 0.5}


def test_data__of_experiments_with_results_weekdays__are_of_those_first_exposed_then__and_stats_tell_every_day(
    lab: Lab,
) -> None:
    experiment = lab.launched()
    # 23:10 UTC on Monday is Tuesday in Berlin.
    weekdays = {"days": ["tuesday"], "timezone": "Europe/Berlin"}
    lab.client.patch(f"/experiments/{experiment['id']}", {"results_weekdays": weekdays})
    lab.send(seen(experiment, "a", 0), reached(experiment, "a", 0), ordered("a", "1", 10))
    lab.advance_to("03-02T23:10")
    lab.send(seen(experiment, "b", 0), seen(experiment, "c", 1), reached(experiment, "c", 0), ordered("c", "2", 20))
    lab.settle()
    one = {"experiment_id": experiment["id"]}

    def told(metric: str, group_by: str, **query: str) -> list[float]:
        return [row["value"] for row in read(lab, "data", metric=metric, group_by=group_by, **query)["data"]]

    assert (told("visitors", "experiment"), told("revenue", "experiment")) == ([2.0], [20.0])
    assert told("visitors", "variation", **one) == [1.0, 1.0]
    assert told("visitors", "goal", **one) == [2.0, 2.0]
    assert told("visitors", "experiment", **{"from": "2026-03-02", "to": "2026-03-02"}) == [2.0]
    assert told("visitors", "experiment", **{"from": "2026-03-04", "to": "2026-03-05"}) == [0.0]
    assert [row["visitors"] for row in lab.results(experiment)["goals"][0]["rows"]] == [1, 1]
    days = read(lab, "stats", **one, **{"from": "2026-03-02", "to": "2026-03-03", "timezone": "Europe/Berlin"})["data"]
    assert [(day["visitors"], day["revenue"]) for day in days] == [(1, 10.0), (2, 20.0)]


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"metric": "events", "group_by": "device"}, "metric"),
        ({"metric": "visitors", "group_by": "event_type"}, "metric"),
        ({"metric": "orders", "group_by": "variation"}, "experiment_id"),
        ({"metric": "orders", "experiment_id": "0192e4a0-0000-7000-8000-000000000000"}, "experiment_id"),
        ({"metric": "orders", "group_by": "device", "timezone": "Europe/Berlin"}, "timezone"),
        ({"metric": "events", "timezone": "Europe/Berlin"}, "timezone"),
    ],
)
def test_data__that_cannot_be__is_422_and_says_what_can(lab: Lab, query: dict[str, str], field: str) -> None:
    answer = lab.client.get("/analytics/data", query=query)
    assert (answer.status, answer.paths) == (422, [field])


def test_rows__as_they_are_printed__begin_with_what_everybody_reads(lab: Lab) -> None:
    day = read(lab, "stats")["data"][0]
    assert list(day)[:4] == ["date", "visitors", "conversions", "revenue"]
    experiment = lab.launched()
    row = lab.client.get(f"/experiments/{experiment['id']}/results").json()["goals"][0]["rows"][0]
    assert list(row)[:4] == ["variation_id", "variation_name", "is_control", "visitors"]


def test_funnel__has_every_day_and_later_steps_count_for_earlier_ones(open_shop: Lab) -> None:
    monday, tuesday, wednesday = read(open_shop, "funnel", **{"from": "2026-03-02", "to": "2026-03-04"})["data"]
    assert (monday["visited"], monday["added_to_cart"], monday["cart_rate"]) == (2, 1, 0.5)
    steps = ("visited", "added_to_cart", "started_checkout", "purchased")
    assert [tuesday[step] for step in steps] == [2, 2, 2, 2]
    assert (tuesday["purchase_rate"], wednesday["visited"], wednesday["conversion_rate"]) == (1.0, 0, None)


def test_holdout__is_compared_with_everybody_else(lab: Lab) -> None:
    off = read(lab, "holdout")["data"]
    assert (off["is_enabled"], off["computed_at"], off["revenue_per_visitor"]) == (False, None, None)
    wish = {"holdout_pct": 10, "holdout_v1_enabled": True}
    changed = lab.client.patch(f"/shops/{lab.tenant.shop.id}", wish)
    assert changed.status == 200, changed.body
    epoch = read(lab, "holdout")["data"]["holdout_config_epoch"]
    lab.api.clock.advance(seconds=1)
    for number in range(40):
        cohort = "holdout" if number % 10 == 0 else "active"
        lab.send(viewed(f"v-{number}", cohort=cohort, holdout_config_epoch=epoch))
        if number % 2 or number == 0:
            lab.send(ordered(f"v-{number}", f"o-{number}", 10 + number % 3))
    lab.settle()
    found = read(lab, "holdout")["data"]
    held, active = found["rows"]
    assert (held["cohort"], held["visitors"], held["orders"], held["conversion_rate"]) == ("holdout", 4, 1, 0.25)
    assert (active["visitors"], active["buyers"]) == (36, 20)
    assert found["conversion_rate"]["lift"] == pytest.approx(20 / 36 / 0.25 - 1)
    assert (found["revenue_per_visitor"]["p_value"] < 1, found["srm"]["status"]) == (True, "ok")
    assert found["is_enabled"] is True
    assert read(lab, "holdout", to="2026-03-01")["data"]["rows"][0]["visitors"] == 0


def test_program__counts_what_began_and_how_it_ended(lab: Lab) -> None:
    first, _ = lab.launched(), lab.launched(name="Second")
    lab.client.post("/experiments", {"name": "Draft"})
    lab.api.clock.advance(days=4)
    wish = {"outcome": "won", "winning_variation_id": first["variations"][1]["id"]}
    assert lab.client.post(f"/experiments/{first['id']}/complete", wish).status == 200
    found = read(lab, "program")["data"]
    assert (found["started"], found["running"], found["completed"]) == (2, 1, 1)
    assert (found["won"], found["win_rate"], found["median_days"]) == (1, 1.0, pytest.approx(4, abs=0.01))
    assert [month["month"] for month in found["months"]] == ["2026-02", "2026-03"]
    assert (found["months"][1]["started"], found["months"][1]["won"]) == (2, 1)
    earlier = read(lab, "program", **{"from": "2026-01-01", "to": "2026-02-28"})["data"]
    assert (earlier["started"], earlier["win_rate"], earlier["median_days"]) == (0, None, None)


def test_routes__without_the_scope__are_refused(lab: Lab) -> None:
    client = lab.api.client(lab.api.key(["experiments:read"], shop_id=lab.tenant.shop.id).text)
    for path in ("stats", "data?metric=orders", "funnel", "holdout", "program"):
        name, _, text = path.partition("?")
        query = dict([text.split("=")]) if text else None
        assert client.get(f"/analytics/{name}", query=query).status == 403
