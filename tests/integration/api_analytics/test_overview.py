"""The overview over HTTP: its rows say what results and reports say, at a number of reads that does not grow."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from tests.integration.api_analytics.conftest import Lab
from tests.integration.api_analytics.looking import look, report, shoppers, watch
from tests.support.client import Answer

Json = dict[str, Any]
SEQUENTIAL = {"auto_stop_override": {"mode": "sequential_significance"}}
FIGURES = (
    "lift",
    "ci",
    "difference",
    "difference_ci",
    "p_value",
    "adjusted_p_value",
    "always_valid_p",
    "is_significant",
    "state",
    "message",
)
"""Fields of a lead that are those of its row in results."""


def overview(lab: Lab, **query: Any) -> Json:
    answer = lab.client.get("/analytics/overview", query=query)
    assert answer.status == 200, answer.body
    shown: Json = answer.json()
    return shown


def rows(lab: Lab) -> dict[str, Json]:
    return {row["id"]: row for row in overview(lab)["data"]}


def check(lab: Lab, row: Json, experiment: Json) -> None:
    """Compare a row with what the routes of its experiment answer."""
    results = lab.results(experiment)
    facts = report(lab, experiment)
    names = ("engine", "engine_reason", "computed_at", "generation", "plan", "srm", "checked_at", "measurement_epoch")
    assert {name: row[name] for name in names} == {name: results[name] for name in names}
    assert row["measurement_began_at"] == results["measurement"]["began_at"]
    verdict = facts.verdict.model_dump(mode="json", exclude={"details", "goal_id"})
    assert {name: row["verdict"][name] for name in verdict} == verdict
    assert row["variations"] == facts.model_dump(mode="json")["experiment"]["variations"]
    assert row["visitors"] == sum(arm.visitors for arm in facts.experiment.variations)
    assert row["measured_time"] == (facts.measured_time.model_dump(mode="json") if facts.measured_time else None)
    assert (row["goal"] or {}).get("goal_id") == facts.verdict.goal_id
    assert row["findings"]["count"] == len(results["health"])
    if row["lead"]:
        goal = next(goal for goal in results["goals"] if goal["goal_id"] == row["goal"]["goal_id"])
        shown = next(one for one in goal["rows"] if one["variation_id"] == row["lead"]["variation_id"])
        assert {name: row["lead"][name] for name in FIGURES} == {name: shown[name] for name in FIGURES}
        assert (row["lead"]["engine"], row["goal"]["name"]) == (goal["engine"], goal["name"])
    paused = [entry.sentence for entry in facts.timeline if entry.kind == "paused"]
    assert (row["pause"] or {}).get("sentence") == (paused[-1] if row["status"] == "paused" else None)


def test_overview__of_an_empty_shop__has_no_rows_and_counts_of_zero(lab: Lab) -> None:
    shown = overview(lab)
    assert (shown["data"], shown["archived"], shown["is_whole"], shown["currency"]) == ([], 0, True, "EUR")
    assert set(shown["by_status"].values()) == {0}
    assert shown["approvals"] == {"count": 0, "data": []}
    assert shown["publication"] == {"state": "published", "since": None}
    assert shown["last_seen_at"] is None
    assert shown["inbox"]["unread"] == 0
    assert shown["pagination"] == {"limit": 50, "next_cursor": None, "has_more": False}


def test_rows__of_tests_in_many_states__equal_results_and_report_of_each(lab: Lab) -> None:
    fresh = lab.launched(name="Fresh")
    undecided = lab.launched(name="Undecided")
    shoppers(lab, undecided, buying=(20, 22), name="u")
    winner = lab.launched(name="Winner", **SEQUENTIAL)
    shoppers(lab, winner, buying=(40, 120), name="w")
    arms = [{"name": "A", "weight": 0.9, "is_control": True}, {"name": "B", "weight": 0.1}]
    skewed = lab.launched(name="Skewed", variations=arms)
    shoppers(lab, skewed, buying=(30, 31), name="s")
    guarded = [{"name": "Cart", "type": "click", "selector": "#cart"}]
    guarded.append({"name": "Orders", "type": "click", "selector": "#order", "role": "guardrail"})
    harmed = lab.launched(name="Guarded", goals=guarded)
    shoppers(lab, harmed, buying=(40, 45), name="h")
    planned = lab.launched(name="Planned")
    plan = {"goal_id": planned["goals"][0]["id"], "baseline_rate": 0.1, "mde": 0.5, "confirm_live_impact": True}
    assert lab.client.put(f"/experiments/{planned['id']}/plan", plan).status == 200
    lab.api.clock.advance(seconds=1)
    shoppers(lab, planned, buying=(20, 30), name="p")
    weekdays = {"results_weekdays": {"days": ["monday"], "timezone": "Europe/Berlin"}}
    by_day = lab.launched(name="By day", **weekdays)
    shoppers(lab, by_day, buying=(30, 35), name="d")
    by_hand = lab.launched(name="By hand")
    assert lab.client.post(f"/experiments/{by_hand['id']}/pause", {"reason": "holidays"}).status == 200
    no_goal = lab.launched(name="No goal", goals=[])
    made = (fresh, undecided, winner, skewed, harmed, planned, by_day, by_hand, no_goal)
    for step in (lambda: None, lambda: look(lab), lambda: watch(lab), lambda: look(lab)):
        step()
        now = rows(lab)
        assert now.keys() == {experiment["id"] for experiment in made}
        for experiment in made:
            check(lab, now[experiment["id"]], experiment)
    shown = {experiment["name"]: now[experiment["id"]] for experiment in made}
    assert (shown["Winner"]["status"], shown["Winner"]["verdict"]["status"]) == ("paused", "winner")
    assert (shown["Winner"]["pause"]["by"], shown["Winner"]["pause"]["user_id"]) == ("auto_stop", None)
    assert (shown["By hand"]["pause"]["by"], shown["By hand"]["pause"]["user_id"]) == ("person", lab.tenant.user_id)
    assert shown["By hand"]["pause"]["sentence"] == "Paused: holidays"
    assert (shown["Fresh"]["visitors"], shown["Fresh"]["verdict"]["status"]) == (0, "no_data")
    assert (shown["No goal"]["goal"], shown["No goal"]["lead"]) == (None, None)
    assert (shown["Skewed"]["srm"]["status"], shown["Skewed"]["verdict"]["status"]) == ("mismatch", "not_trusted")
    assert (shown["Skewed"]["findings"]["worst"], shown["Fresh"]["findings"]["count"]) == ("critical", 0)
    decided = {name for name, row in shown.items() if row["verdict"]["is_decided"]}
    assert decided == {"Winner"}


def test_row__after_new_counts_an_edit_and_a_restart__is_the_present_one(lab: Lab) -> None:
    experiment = lab.launched()
    for number in range(3):
        shoppers(lab, experiment, buying=(10, 12 + 5 * number), visitors=60, name=f"v{number}")
        check(lab, rows(lab)[experiment["id"]], experiment)
    path = f"/experiments/{experiment['id']}"
    assert lab.client.patch(path, {"name": "Other"}).status == 200
    assert rows(lab)[experiment["id"]]["name"] == "Other"
    assert lab.client.patch("/shop/defaults", {"alpha": 0.01}).status == 200
    check(lab, rows(lab)[experiment["id"]], experiment)
    lab.api.clock.advance(seconds=1)
    assert lab.client.post(f"{path}/pause").status == 200
    assert rows(lab)[experiment["id"]]["status"] == "paused"
    assert lab.client.post(f"{path}/resume").status == 200
    assert rows(lab)[experiment["id"]]["pause"] is None
    assert lab.client.post(f"{path}/pause").status == 200
    assert lab.client.post(f"{path}/restart").status == 200
    row = rows(lab)[experiment["id"]]
    assert (row["measurement_epoch"], row["visitors"], row["computed_at"]) == (2, 0, None)
    assert lab.client.post(f"{path}/complete", {"outcome": "inconclusive"}).status == 200
    shown = overview(lab)
    assert (shown["data"], shown["by_status"]["completed"]) == ([], 1)


def test_counts__of_the_shop__are_of_every_status_and_name_who_waits(lab: Lab) -> None:
    lab.launched()
    draft = lab.client.post("/experiments", {"name": "Draft"}).json()
    waiting = lab.client.post("/experiments", {"name": "Waiting"}).json()
    assert lab.client.post(f"/experiments/{waiting['id']}/request-approval", {}).status == 200
    old = lab.client.post("/experiments", {"name": "Old"}).json()
    assert lab.client.post(f"/experiments/{old['id']}/archive").status == 200
    shown = overview(lab)
    statuses = {"draft": 1, "running": 1, "awaiting_client_approval": 1}
    assert {status: number for status, number in shown["by_status"].items() if number} == statuses
    assert (shown["archived"], draft["status"]) == (1, "draft")
    (one,) = shown["approvals"]["data"]
    assert (shown["approvals"]["count"], one["id"], one["name"]) == (1, waiting["id"], "Waiting")


def test_pages__of_more_experiments_than_the_limit__have_each_once(lab: Lab) -> None:
    made = [lab.launched(name=f"Test {number}")["id"] for number in range(5)]
    seen: list[str] = []
    cursor: Json = {}
    while True:
        page = overview(lab, limit=2, **cursor)
        assert page["by_status"]["running"] == 5
        seen += [row["id"] for row in page["data"]]
        if not page["pagination"]["has_more"]:
            break
        cursor = {"cursor": page["pagination"]["next_cursor"]}
    assert seen == sorted(made, reverse=True)
    assert lab.client.get("/analytics/overview", query={"cursor": "bm8"}).status == 400


def test_answer__with_its_etag__is_304_until_something_changes(lab: Lab) -> None:
    experiment = lab.launched()
    shoppers(lab, experiment, buying=(10, 12))

    def held(tag: str) -> Answer:
        return lab.client.get("/analytics/overview", headers={"if-none-match": tag})

    tag = held("").headers["etag"]
    lab.api.clock.advance(minutes=3)
    assert held(tag).status == 304
    shoppers(lab, experiment, buying=(10, 12), name="more")
    changed = held(tag)
    assert (changed.status, changed.headers["etag"] != tag) == (200, True)
    assert lab.client.patch(f"/experiments/{experiment['id']}", {"name": "Other"}).status == 200
    assert held(changed.headers["etag"]).status == 200


def test_publication__that_has_not_ended__is_pending_and_then_failed(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    published, late = lab.launched(name="Published"), lab.launched(name="Late")
    base = lab.api.management
    lab.api.clock.advance(minutes=1)
    monkeypatch.setattr(base.catalog, "outbox_done", lambda row: None)
    assert lab.client.patch(f"/experiments/{late['id']}", {"name": "Later"}).status == 200
    monkeypatch.undo()

    def states() -> tuple[str, str, str]:
        lab.api.clock.advance(seconds=6)
        shown = overview(lab)
        by_id = {row["id"]: row["publication"] for row in shown["data"]}
        return shown["publication"]["state"], by_id[late["id"]], by_id[published["id"]]

    assert states() == ("pending", "pending", "published")
    lab.api.clock.advance(minutes=2)
    assert states() == ("failed", "failed", "published")
    (row,) = base.catalog.outbox("publish", created_before="9999", limit=10)
    base.catalog.outbox_done(row)
    assert states() == ("published", "published", "published")


def test_callers__without_scopes__see_no_more_than_these_allow(lab: Lab) -> None:
    lab.launched()
    reader = lab.api.client(lab.api.key(["analytics:read"], shop_id=lab.tenant.shop.id).text)
    shown = reader.get("/analytics/overview")
    assert (shown.status, "inbox" in shown.json()) == (200, False)
    other = lab.api.client(lab.api.key(["experiments:read"], shop_id=lab.tenant.shop.id).text)
    assert other.get("/analytics/overview").status == 403
    stranger = lab.api.client(lab.api.tenant("Other").admin)
    assert stranger.get("/analytics/overview").json()["data"] == []


@pytest.fixture
def reads(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """Calls of the stores by name."""
    numbers: Counter[str] = Counter()

    def counting(store: Any, name: str) -> None:
        call = getattr(store, name)

        def counted(*args: Any, **named: Any) -> Any:
            numbers[name] += 1
            return call(*args, **named)

        monkeypatch.setattr(store, name, counted)

    # In memory, many records are read one by one, so single reads are not counted.
    for name in ("get_many", "list", "audit", "outbox", "unpublished", "inbox"):
        counting(lab.api.management.catalog, name)
    for name in ("totals_of", "days", "segments", "shop_days"):
        counting(lab.store, name)
    for name in ("states", "looks"):
        counting(lab.looks, name)
    return numbers


def test_reads__of_ten_times_as_many_experiments__are_as_many(lab: Lab, reads: Counter[str]) -> None:
    def made(number: int) -> None:
        for place in range(number):
            experiment = lab.launched(name=f"Test {place}")
        shoppers(lab, experiment, buying=(2, 3), visitors=10, name=experiment["id"])

    def needed() -> dict[str, int]:
        reads.clear()
        overview(lab)
        return dict(reads)

    made(3)
    overview(lab)
    few = needed()
    made(27)
    overview(lab)
    many = needed()
    assert few == many
    # Experiments, pauses and the shop's days were read before; this request reads Guardian's memories.
    assert many == {"list": 1, "unpublished": 1, "inbox": 1, "totals_of": 1, "states": 1, "get_many": 1}
