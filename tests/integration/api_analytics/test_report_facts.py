"""The facts of the report, from events that came the whole way."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.kit.errors import NotFoundError
from abtest.services.context import Caller
from abtest.services.results import ReportReading, RollupReader
from tests.integration.api_analytics.conftest import Lab, ordered, seen
from tests.integration.api_analytics.looking import look, report, shoppers, watch


def done(lab: Lab, experiment: dict[str, Any], action: str, **fields: Any) -> None:
    lab.api.clock.advance(minutes=1)
    answer = lab.client.post(f"/experiments/{experiment['id']}/{action}", fields or None)
    assert answer.status in (200, 201), answer.body


def test_report__of_a_draft__says_that_nothing_has_started(lab: Lab) -> None:
    made = lab.client.post("/experiments", {"name": "Draft"}).json()
    found = report(lab, made)
    assert (found.verdict.status, found.generation, found.curves, found.goals) == ("not_started", None, None, [])
    assert (found.measurement.began_at, [entry.kind for entry in found.timeline]) == (None, ["created"])


def test_report__before_anyone_came__has_no_numbers(lab: Lab) -> None:
    found = report(lab, lab.launched())
    assert (found.verdict.status, found.interval_over_time, found.segments) == ("no_data", None, [])


def test_report_and_overview__of_a_test_with_a_scheduled_end__name_it(lab: Lab) -> None:
    experiment = lab.launched()
    ends = "2026-04-01T00:00:00.000Z"
    answer = lab.client.put(f"/experiments/{experiment['id']}/schedule", {"end_at": ends})
    assert answer.status == 200, answer.body
    (row,) = lab.client.get("/analytics/overview").json()["data"]
    assert report(lab, experiment).experiment.scheduled_end_at == row["scheduled_end_at"] == ends


def test_report__with_little_data__says_what_is_missing(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(20, 30))
    found = report(lab, experiment).verdict
    assert (found.status, found.sentence) == (
        "too_early",
        "Too early to say: too few conversions yet: 20 of 25 in Control.",
    )


def test_report__of_a_winner__names_it_and_by_how_much(lab: Lab) -> None:
    experiment = lab.launched(auto_stop_override={"mode": "sequential_significance"})
    shoppers(lab, experiment, buying=(40, 90))
    look(lab)
    found = report(lab, experiment)
    assert (found.engine, found.experiment.status, found.verdict.status) == ("sequential", "paused", "winner")
    assert found.verdict.sentence.startswith("“Variant” is better: Buy rises by 125.0%")
    assert found.verdict.variation_id == experiment["variations"][1]["id"]
    entry = found.timeline[-1]
    assert (entry.kind, entry.by, entry.user_id) == ("paused", "auto_stop", None)
    assert entry.sentence == "Paused by auto-stop: “Variant” won."
    course = found.interval_over_time
    assert course is not None
    assert [look.visitors for look in course.looks] == [400]
    assert [segment.dimension for segment in found.segments] == ["device", "country", "new_returning", "source"]
    assert found.generation == 1 == (found.curves and found.curves.generation)


def test_report__of_what_guardian_stopped__says_why(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(120, 2))
    watch(lab)
    found = report(lab, experiment)
    assert (found.experiment.status, found.verdict.status) == ("paused", "stopped_for_harm")
    assert "“Variant”" in found.verdict.sentence
    assert (found.timeline[-1].kind, found.timeline[-1].by) == ("paused", "guardian")
    done(lab, experiment, "resume")
    assert report(lab, experiment).verdict.status != "stopped_for_harm"


def test_report__of_a_skewed_split__is_not_trusted(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(40, 90))
    for number in range(150):
        lab.send(seen(experiment, f"more-{number}", 0))
    lab.settle()
    assert report(lab, experiment).verdict.status == "not_trusted"


def test_report__of_an_aa_test__takes_no_difference_for_right(lab: Lab) -> None:
    experiment = lab.launched(counting_type="aa_test")
    shoppers(lab, experiment, buying=(40, 41))
    assert "as it should be" in report(lab, experiment).verdict.sentence
    shoppers(lab, experiment, buying=(0, 150), name="w")
    assert report(lab, experiment).verdict.status == "not_trusted"


def test_report__money_in_other_currencies__is_told_by_currency(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(40, 41))
    for number, currency in enumerate(["EUR", "USD", "USD", "GBP", "JPY"]):
        lab.send(ordered(f"v-{number % 2}-{number}", f"o-{number}", 12.0, currency))
    lab.settle()
    found = report(lab, experiment).money_set_aside
    assert found is not None
    assert [(each.currency, each.orders, each.amount) for each in found.amounts] == [
        ("GBP", 1, 12.0),
        ("JPY", 1, 12.0),
        ("USD", 2, 24.0),
    ]
    assert found.share_of_orders == pytest.approx(0.8)
    assert found.message.startswith("4 of 5 orders (80.0%) are not in EUR")


def test_report__timeline__tells_who_did_what_and_what_began_to_count_anew(lab: Lab) -> None:
    experiment = lab.launched()
    ids = [variation["id"] for variation in experiment["variations"]]
    wish = {"weights": dict(zip(ids, (0.7, 0.3), strict=True)), "confirm_live_impact": True}
    assert lab.client.put(f"/experiments/{experiment['id']}/variations/weights", wish).status == 200
    done(lab, experiment, "pause", reason="a sale")
    done(lab, experiment, "complete", winning_variation_id=ids[1], outcome="won", learning="Blue sells.")
    done(lab, experiment, "ship", variation_id=ids[1])
    found = report(lab, experiment)
    told = [(entry.kind, entry.sentence, entry.measurement_epoch) for entry in found.timeline]
    assert told[2:] == [
        ("weights_changed", "Weights changed: “Control” 0.5 → 0.7, “Variant” 0.5 → 0.3. Counting started over.", 2),
        ("paused", "Paused: a sale", None),
        ("completed", "Completed as won, winner “Variant”.", None),
        ("shipped", "“Variant” was shipped to all visitors as a personalization.", None),
    ]
    assert {(entry.by, entry.user_id is None) for entry in found.timeline} == {("person", False)}
    assert {"It was closed as won.", "Blue sells."} <= set(found.verdict.details)


def test_report__of_another_shop__is_not_found(lab: Lab) -> None:
    experiment = lab.launched()
    other = Caller(
        key_id="",
        kind="shop",
        user_id="",
        shop_id=lab.api.tenant("Other").shop.id,
        scopes=frozenset(),
        request_id="",
    )
    with pytest.raises(NotFoundError):
        ReportReading(lab.api.world, RollupReader(lab.store), lab.looks).read(other, experiment["id"])
