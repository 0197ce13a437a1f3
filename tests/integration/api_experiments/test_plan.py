"""Plans over HTTP: stated, measured, refused; frozen at launch and restart; what a new one does to a running test."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from abtest.contract.shops import UpdateShopDefaults
from abtest.domain.experiments.model import Experiment
from abtest.domain.ledger.rollup_documents import shop_day_document
from abtest.domain.ledger.shop_days import ShopDay
from abtest.kit.documents import decode
from abtest.ports.catalog import Commit, Put
from abtest.services.context import Caller
from abtest.services.shops import Shops
from tests.integration.api_experiments.test_lifecycle import at, run_schedule
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client

Create = Callable[..., dict[str, Any]]
Json = dict[str, Any]

GOALS = [
    {"name": "Revenue", "type": "revenue"},
    {"name": "Cart", "type": "custom", "event_name": "add_to_cart"},
    {"name": "Click", "type": "click", "selector": "#buy"},
]
HORIZON = {"auto_stop_override": {"mode": "fixed_horizon_planned_end"}}
TWO_DAYS = 2


@pytest.fixture
def draft(create: Create) -> Json:
    return create(goals=GOALS)


def path_of(made: Json) -> str:
    return f"/experiments/{made['id']}"


def goal_id(made: Json, name: str = "Revenue") -> str:
    return str(next(goal["id"] for goal in made["goals"] if goal["name"] == name))


def wish(made: Json, **fields: Any) -> Json:
    return {"goal_id": goal_id(made), "baseline_rate": 0.03, "mde": 0.1, **fields}


def traffic(api: MemoryApi, tenant: Tenant, **steps: int) -> None:
    """Two days of the shop, yesterday and the day before."""
    for ago in (1, TWO_DAYS):
        date = f"{api.clock.now() - timedelta(days=ago):%Y-%m-%d}"
        day = ShopDay(shop_id=tenant.shop.id, date=date, currency="EUR", steps=steps)
        assert api.management.rollups.put_shop_day(shop_day_document(day, generation=1, computed_at=api.world.now()))


def stored(api: MemoryApi, tenant: Tenant, made: Json) -> Any:
    record = api.world.catalog.get(tenant.shop.id, "EXP", made["id"])
    assert record is not None
    return decode(Experiment, record.body)


def test_plan__stated__is_answered_whole_and_served_from_then_on(client: Client, draft: Json, api: MemoryApi) -> None:
    api.clock.advance(seconds=1)
    answer = client.put(f"{path_of(draft)}/plan", wish(draft))
    assert answer.status == 200, answer.body
    assert answer.json()["planned_test"] == {
        "computed_at": api.world.now(),
        "goal_id": goal_id(draft),
        "correction_method": "holm",
        "baseline_rate": 0.03,
        "mde": 0.1,
        "alpha": 0.05,
        "power": 0.8,
        "window_days": 28,
        "tail": "two-sided",
        "covariate_adjustment": "none",
        "engine": "fixed",
        "required_sample_per_variant": 53_211,
        "required_total_visitors": 106_422,
        "evaluation": None,
        "revenue_evaluation": None,
    }
    assert client.get(path_of(draft)).json()["planned_test"] == answer.json()["planned_test"]
    history = client.get(f"{path_of(draft)}/history").json()["data"][0]
    assert history["action"] == "experiment.plan"


def test_plan__everything_stated__is_what_is_planned(client: Client, draft: Json) -> None:
    said = {
        "alpha": 0.2,
        "power": 0.99,
        "tail": "one-sided",
        "correction_method": "none",
        "covariate_adjustment": "cuped",
        "mde": 1,
        "baseline_rate": 0.2,
    }
    plan = client.put(f"{path_of(draft)}/plan", wish(draft, **said)).json()["planned_test"]
    assert {name: plan[name] for name in said} == said


@pytest.mark.parametrize(
    ("engine", "total"),
    [
        ({"engine": "sequential"}, 183_256),
        ({"engine": "group_sequential"}, 111_646),
        ({"engine": "group_sequential", "spending": {"family": "pocock"}, "futility": {"family": "pocock"}}, 170_348),
        ({"engine": "group_sequential", "spending": {"family": "hwang_shih_decani", "gamma": -4}, "looks": 5}, 109_124),
    ],
)
def test_plan__of_another_engine__is_sized_for_it_and_the_same_again(
    client: Client, draft: Json, engine: Json, total: int
) -> None:
    answer = client.put(f"{path_of(draft)}/plan", wish(draft, **engine))
    assert answer.status == 200, answer.body
    plan = answer.json()["planned_test"]
    assert plan["required_total_visitors"] == total
    for name, value in engine.items():
        assert plan[name] == ({"gamma": None, **value} if isinstance(value, dict) else value)
    repeated = client.put(f"{path_of(draft)}/plan", wish(draft, **engine))
    assert (repeated.json(), repeated.headers["etag"]) == (answer.json(), answer.headers["etag"])
    # Without the engine it is another plan: auto-stop is off.
    assert client.put(f"{path_of(draft)}/plan", wish(draft)).json()["planned_test"]["engine"] == "fixed"


@pytest.mark.parametrize(
    ("mode", "sent", "computed"),
    [
        ("off", "fixed", "sequential"),
        ("sequential_significance", "sequential", "sequential"),
        ("fixed_horizon_planned_end", "fixed", "fixed"),
    ],
)
def test_plan__engine_left_out__is_the_one_that_decides(
    client: Client, create: Create, api: MemoryApi, tenant: Tenant, mode: str, sent: str, computed: str
) -> None:
    traffic(api, tenant, visited=1000, purchased=40)
    made, other = (create(goals=GOALS, auto_stop_override={"mode": mode}) for _ in range(2))
    assert client.put(f"{path_of(made)}/plan", wish(made)).json()["planned_test"]["engine"] == sent
    plan = client.post(f"{path_of(other)}/launch").json()["planned_test"]
    assert plan["engine"] == computed
    assert plan["recommended_days"] % 7 == 0
    assert 0 <= plan["recommended_days"] - plan["estimated_days"] < 7


@pytest.mark.parametrize("mode", ["sequential_significance", "group_sequential"])
@pytest.mark.parametrize(
    ("sent", "engine"),
    [
        ({}, "fixed"),
        ({"engine": "group_sequential", "futility": {"family": "pocock"}, "looks": 5}, "group_sequential"),
    ],
)
def test_plan__engine_left_out_in_a_started_test__is_the_same_whatever_the_mode_became(
    client: Client, draft: Json, mode: str, sent: Json, engine: str
) -> None:
    path = path_of(draft)
    client.put(f"{path}/plan", wish(draft, **sent))
    client.post(f"{path}/launch")
    changed = {"auto_stop_override": {"mode": mode}, "confirm_live_impact": True}
    running = client.patch(path, changed).json()
    answer = client.put(f"{path}/plan", wish(draft))
    assert answer.status == 200, answer.body
    assert (answer.json()["planned_test"], running["planned_test"]["engine"]) == (running["planned_test"], engine)
    # Another change to detect is another plan, for the engine of the mode.
    other = client.put(f"{path}/plan", wish(draft, mde=0.2, confirm_live_impact=True)).json()["planned_test"]
    assert other["engine"] == {"sequential_significance": "sequential"}.get(mode, mode)


def test_plan__of_an_older_release_sent_again__changes_nothing(
    client: Client, create: Create, api: MemoryApi, tenant: Tenant
) -> None:
    made = create(goals=GOALS, auto_stop_override={"mode": "sequential_significance"})
    path = path_of(made)
    client.put(f"{path}/plan", wish(made, engine="fixed"))
    client.post(f"{path}/launch")
    record = api.world.catalog.get(tenant.shop.id, "EXP", made["id"])
    assert record is not None
    new = ("engine", "spending", "futility", "looks", "covariate_adjustment", "recommended_days")
    plan = {name: value for name, value in record.body["planned_test"].items() if name not in new}
    head = replace(record.head, version=record.head.version + 1)
    old = replace(record, head=head, body={**record.body, "version": head.version, "planned_test": plan})
    api.world.catalog.commit(Commit(puts=[Put(record=old, expected_version=record.head.version)]))
    before = client.get(path).json()
    answer = client.put(f"{path}/plan", wish(made))
    assert answer.status == 200, answer.body
    assert answer.json()["planned_test"] == before["planned_test"]
    assert stored(api, tenant, made).planned_test == plan


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"looks": 5}, "looks"),
        ({"engine": "sequential", "futility": {"family": "pocock"}}, "futility"),
        ({"engine": "group_sequential", "spending": {"family": "pocock", "gamma": 1}}, "spending.gamma"),
        ({"engine": "group_sequential", "looks": 100, "mde": 1.0, "baseline_rate": 0.2}, "looks"),
        ({"engine": "sequential", "baseline_rate": 0.6, "mde": 1}, "mde"),
    ],
)
def test_plan__engine_that_cannot_be__is_422_and_names_the_field(
    client: Client, draft: Json, api: MemoryApi, tenant: Tenant, fields: Json, path: str
) -> None:
    traffic(api, tenant, visited=1000, purchased=40)
    answer = client.put(f"{path_of(draft)}/plan", wish(draft, **fields))
    assert (answer.status, answer.paths) == (422, [path])


def test_plan__silent__takes_the_shops_defaults_and_the_settings_of_auto_stop(client: Client, create: Create) -> None:
    override = {"mode": "fixed_horizon_planned_end", "fixed_horizon": {"window_days": 14, "power": 0.9}}
    made = create(goals=GOALS, auto_stop_override=override)
    plan = client.put(f"{path_of(made)}/plan", wish(made)).json()["planned_test"]
    assert (plan["window_days"], plan["power"], plan["alpha"]) == (14, 0.9, 0.05)


def test_plan__baseline_left_out__is_measured(client: Client, draft: Json, api: MemoryApi, tenant: Tenant) -> None:
    traffic(api, tenant, visited=1000, added_to_cart=200, purchased=40)
    body = {"goal_id": goal_id(draft), "mde": 0.1}
    plan = client.put(f"{path_of(draft)}/plan", body).json()["planned_test"]
    assert plan["baseline_rate"] == 0.04
    assert plan["estimated_days"] == pytest.approx(plan["required_total_visitors"] / 1000)
    carts = client.put(f"{path_of(draft)}/plan", {**body, "goal_id": goal_id(draft, "Cart")}).json()
    assert carts["planned_test"]["baseline_rate"] == 0.2


def test_plan__traffic_allocated_in_part__takes_longer(
    client: Client, create: Create, api: MemoryApi, tenant: Tenant
) -> None:
    traffic(api, tenant, visited=1000, purchased=40)
    made = create(goals=GOALS, traffic_allocation=0.25)
    plan = client.put(f"{path_of(made)}/plan", wish(made)).json()["planned_test"]
    assert plan["estimated_days"] == pytest.approx(106_422 / 250)


@pytest.mark.parametrize("name", ["Revenue", "Cart", "Click"])
def test_plan__baseline_left_out_and_nothing_measured__says_what_to_state_and_why(
    client: Client, draft: Json, name: str
) -> None:
    answer = client.put(f"{path_of(draft)}/plan", {"goal_id": goal_id(draft, name), "mde": 0.1})
    assert (answer.status, answer.paths) == (422, ["baseline_rate"])
    assert "send it" in answer.json()["error"]["message"]
    assert client.get(path_of(draft)).json() == draft


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"baseline_rate": 0.6, "mde": 1}, "mde"),
        ({"baseline_rate": 0.5, "mde": 1}, "mde"),
        ({"baseline_rate": 1e-300}, "mde"),
        ({"goal_id": "019c0000-0000-7000-8000-0000000000d0"}, "goal_id"),
    ],
)
def test_plan__impossible__is_422_and_names_the_field(client: Client, draft: Json, fields: Json, path: str) -> None:
    answer = client.put(f"{path_of(draft)}/plan", wish(draft, **fields))
    assert (answer.status, answer.paths) == (422, [path])
    assert client.get(path_of(draft)).json()["planned_test"] is None


def test_plan__experiment_that_lets_nobody_in__is_422(client: Client, create: Create) -> None:
    made = create(goals=GOALS, traffic_allocation=0)
    answer = client.put(f"{path_of(made)}/plan", wish(made))
    assert (answer.status, answer.paths) == (422, ["traffic_allocation"])


@pytest.mark.parametrize("weights", [(0, 1), (1, 0)])
def test_plan__nobody_to_compare__is_422(client: Client, create: Create, weights: tuple[float, float]) -> None:
    made = create(goals=GOALS, variations=[{"name": "A", "weight": weights[0]}, {"name": "B", "weight": weights[1]}])
    answer = client.put(f"{path_of(made)}/plan", wish(made))
    assert (answer.status, answer.paths) == (422, ["weights"])


def test_plan__goal_that_should_fall__is_planned_for_the_lower_rate(client: Client, create: Create) -> None:
    made = create(goals=[{"name": "Revenue", "type": "revenue", "direction": "decrease"}])
    plan = client.put(f"{path_of(made)}/plan", wish(made)).json()["planned_test"]
    assert plan["required_sample_per_variant"] < 53_211
    answer = client.put(f"{path_of(made)}/plan", wish(made, mde=1))
    assert (answer.status, answer.paths) == (422, ["mde"])


@pytest.mark.parametrize(
    ("name", "inside", "outside"),
    [
        ("alpha", [0.001, 0.2], [0.0009999, 0.2000001, 0, -1, "0.05", True, None]),
        ("power", [0.5, 0.99], [0.4999999, 0.9900001, 1, "0.8", None]),
        ("mde", [0.001, 1], [0.0009999, 1.0000001, 0, -0.1, None]),
        ("baseline_rate", [1e-3, 0.49], [-1e-9, 0, 1, 1.0000001, "3 %", None]),
        ("tail", ["one-sided", "two-sided"], ["both", 1, None]),
        ("correction_method", ["none", "holm"], ["sidak", None]),
        ("covariate_adjustment", ["none", "cuped"], ["regression", None]),
    ],
)
def test_plan__border__is_held(client: Client, draft: Json, name: str, inside: list[Any], outside: list[Any]) -> None:
    for value in inside:
        assert client.put(f"{path_of(draft)}/plan", wish(draft, **{name: value})).status == 200, value
    for value in outside:
        answer = client.put(f"{path_of(draft)}/plan", wish(draft, **{name: value}))
        assert (answer.status, answer.paths) == (400, [name]), value


def test_plan__goal_no_longer_there__cannot_be_planned_for(client: Client, draft: Json) -> None:
    assert client.patch(path_of(draft), {"goals": []}).status == 200
    answer = client.put(f"{path_of(draft)}/plan", wish(draft))
    assert (answer.status, answer.paths) == (422, ["goal_id"])


def test_plan__of_another_shop__is_not_found(api: MemoryApi, draft: Json) -> None:
    other = api.client(api.tenant("Other").admin)
    known, unknown = path_of(draft), "/experiments/019c0000-0000-7000-8000-00000000dead"
    answers = [other.put(f"{path}/plan", wish(draft)) for path in (known, unknown)]
    assert [answer.status for answer in answers] == [404, 404]
    assert answers[0].json()["error"]["message"] == answers[1].json()["error"]["message"]


def test_plan__while_running__is_acknowledged_and_opens_a_measurement_once(
    client: Client, draft: Json, api: MemoryApi, tenant: Tenant
) -> None:
    path = path_of(draft)
    assert client.post(f"{path}/launch").status == 200
    api.clock.advance(hours=1)
    answer = client.put(f"{path}/plan", wish(draft))
    assert (answer.status, answer.code) == (409, "page_live_impact")
    answer = client.put(f"{path}/plan", wish(draft, confirm_live_impact=True))
    assert answer.status == 200, answer.body
    begun = api.world.now()
    assert answer.json()["planned_test"]["epoch_started_at"] == begun
    found = stored(api, tenant, draft)
    assert (found.measurement_epoch, found.assignment_epoch, found.measurement_started_at) == (2, 1, begun)
    api.clock.advance(hours=1)
    for said in (wish(draft), wish(draft, alpha=0.05), {"goal_id": goal_id(draft), "mde": 0.1}):
        again = client.put(f"{path}/plan", said)
        assert (again.status, again.json(), again.headers["etag"]) == (200, answer.json(), answer.headers["etag"])
    assert client.put(f"{path}/plan", wish(draft, mde=0.2, confirm_live_impact=True)).status == 200
    assert stored(api, tenant, draft).measurement_epoch == 3


def test_plan__completed_or_archived__is_409(client: Client, create: Create) -> None:
    done, put_away = create(goals=GOALS), create(goals=GOALS)
    client.post(f"{path_of(done)}/launch")
    client.post(f"{path_of(done)}/complete")
    client.post(f"{path_of(put_away)}/archive")
    for made in (done, put_away):
        answer = client.put(f"{path_of(made)}/plan", wish(made, confirm_live_impact=True))
        assert (answer.status, answer.code) == (409, "invalid_state_transition")


def test_plan__stale_version__is_412(client: Client, draft: Json) -> None:
    answer = client.put(f"{path_of(draft)}/plan", wish(draft), headers={"if-match": 'W/"7"'})
    assert (answer.status, answer.code) == (412, "version_conflict")


def test_launch__traffic_measured__freezes_what_is_looked_for(
    client: Client, draft: Json, api: MemoryApi, tenant: Tenant
) -> None:
    traffic(api, tenant, visited=1000, purchased=40)
    plan = client.post(f"{path_of(draft)}/launch").json()["planned_test"]
    assert (plan["goal_id"], plan["baseline_rate"], plan["mde"]) == (goal_id(draft), 0.04, 0.1)
    assert plan["epoch_started_at"] == plan["computed_at"] == api.world.now()
    traffic_grows = {"visited": 9000, "purchased": 900}
    api.clock.advance(hours=72)
    traffic(api, tenant, **traffic_grows)
    assert client.get(path_of(draft)).json()["planned_test"] == plan


def test_launch__nothing_measured_and_no_plan_needed__goes_without(client: Client, draft: Json) -> None:
    answer = client.post(f"{path_of(draft)}/launch", {"override_checklist_warnings": True})
    assert (answer.status, answer.json()["planned_test"]) == (200, None)


def test_launch__planned_end_without_a_plan__is_refused_until_one_is_stated(client: Client, create: Create) -> None:
    made = create(goals=GOALS, **HORIZON)
    items = {item["key"]: item for item in client.get(f"{path_of(made)}/checklist").json()["items"]}
    assert items["plan"]["status"] == "fail"
    assert "baseline_rate" in items["plan"]["message"]
    answer = client.post(f"{path_of(made)}/launch")
    assert (answer.status, answer.code, answer.paths) == (422, "checklist_failed", ["plan"])
    assert client.put(f"{path_of(made)}/plan", wish(made)).status == 200
    assert client.get(f"{path_of(made)}/checklist").json()["ready"] is True
    assert client.post(f"{path_of(made)}/launch").json()["planned_test"]["required_total_visitors"] == 106_422


@pytest.mark.parametrize(
    ("shops", "own", "status"),
    [
        ("fixed_horizon_planned_end", None, 422),
        ("fixed_horizon_planned_end", "inherit", 422),
        ("fixed_horizon_planned_end", "off", 200),
        ("fixed_horizon_planned_end", "sequential_significance", 200),
        ("group_sequential", None, 422),
        ("off", "group_sequential", 422),
        ("inherit", "inherit", 200),
        ("sequential_significance", "fixed_horizon_planned_end", 422),
    ],
)
def test_launch__mode_of_the_shop__holds_unless_the_experiment_says_another(
    client: Client, create: Create, api: MemoryApi, tenant: Tenant, shops: str, own: str | None, status: int
) -> None:
    caller = Caller(key_id="k", kind="shop", user_id="u", shop_id=tenant.shop.id, scopes=frozenset(), request_id="r")
    patch = UpdateShopDefaults.model_validate({"auto_stop": {"mode": shops}})
    Shops(api.world, api.management.publication).update_defaults(caller, patch, None)
    made = create(goals=GOALS, **({"auto_stop_override": {"mode": own}} if own else {}))
    assert client.post(f"{path_of(made)}/launch").status == status


def test_launch__planned_end_without_a_goal__is_refused(client: Client, create: Create) -> None:
    answer = client.post(f"{path_of(create(**HORIZON))}/launch")
    assert (answer.code, answer.paths) == ("checklist_failed", ["plan"])


@pytest.mark.parametrize(("visited", "words"), [(1000, "run the test for"), (100_000, "less than one week")])
def test_checklist__traffic_measured__recommends_whole_weeks(
    client: Client, draft: Json, api: MemoryApi, tenant: Tenant, visited: int, words: str
) -> None:
    traffic(api, tenant, visited=visited, purchased=visited // 25)
    for _ in range(2):
        items = {item["key"]: item for item in client.get(f"{path_of(draft)}/checklist").json()["items"]}
        assert (items["plan"]["status"], words in items["plan"]["message"]) == ("pass", True)
        # The same for a plan that is sent.
        assert client.put(f"{path_of(draft)}/plan", wish(draft)).status == 200


@pytest.mark.parametrize(("extra", "status"), [({}, "warn"), (HORIZON, "fail")])
def test_checklist__planned_goal_gone__is_told(client: Client, create: Create, extra: Json, status: str) -> None:
    made = create(goals=GOALS, **extra)
    assert client.put(f"{path_of(made)}/plan", wish(made)).status == 200
    assert client.delete(f"{path_of(made)}/goals/{goal_id(made)}").status == 204
    items = {item["key"]: item["status"] for item in client.get(f"{path_of(made)}/checklist").json()["items"]}
    assert items["plan"] == status
    assert client.post(f"{path_of(made)}/launch").status == (200 if status == "warn" else 422)


def test_checklist__planned_looks_by_the_plan_of_another_engine__warns_and_starts(
    client: Client, create: Create
) -> None:
    made = create(goals=GOALS)
    path = path_of(made)
    assert client.put(f"{path}/plan", wish(made)).status == 200
    assert client.patch(path, {"auto_stop_override": {"mode": "group_sequential"}}).status == 200
    (item,) = (item for item in client.get(f"{path}/checklist").json()["items"] if item["key"] == "plan")
    assert item["status"] == "warn"
    assert "sized for another engine" in item["message"]
    assert client.post(f"{path}/launch").status == 200
    items = {item["key"]: item["status"] for item in client.get(f"{path}/checklist").json()["items"]}
    assert items["plan"] == "warn"


def test_goal__archived_while_its_test_runs__warns_and_breaks_nothing(client: Client, draft: Json) -> None:
    path = path_of(draft)
    client.put(f"{path}/plan", wish(draft))
    client.post(f"{path}/launch")
    assert client.patch(path, {"goals": [{"id": goal_id(draft, "Cart")}]}).status == 200
    items = {item["key"]: item["status"] for item in client.get(f"{path}/checklist").json()["items"]}
    assert items["plan"] == "warn"
    assert client.get(path).json()["planned_test"]["goal_id"] == goal_id(draft)
    for action in ("pause", "resume", "complete", "restart"):
        assert client.post(f"{path}/{action}").status == 200, action


def test_restart__stated_plan__keeps_its_baseline_and_begins_again(client: Client, draft: Json, api: MemoryApi) -> None:
    path = path_of(draft)
    client.put(f"{path}/plan", wish(draft))
    first = client.post(f"{path}/launch").json()["planned_test"]
    api.clock.advance(hours=1)
    client.post(f"{path}/pause")
    second = client.post(f"{path}/restart").json()["planned_test"]
    assert second == {**first, "epoch_started_at": api.world.now()}


def test_restart__computed_plan__is_computed_from_what_is_known_by_then(
    client: Client, draft: Json, api: MemoryApi, tenant: Tenant
) -> None:
    traffic(api, tenant, visited=1000, purchased=40)
    client.post(f"{path_of(draft)}/launch")
    api.clock.advance(hours=24 * 60)
    traffic(api, tenant, visited=1000, purchased=80)
    client.post(f"{path_of(draft)}/pause")
    plan = client.post(f"{path_of(draft)}/restart").json()["planned_test"]
    assert (plan["baseline_rate"], plan["epoch_started_at"]) == (0.08, api.world.now())


def test_weights__of_a_running_test__begin_its_plan_again(client: Client, draft: Json, api: MemoryApi) -> None:
    path = path_of(draft)
    client.put(f"{path}/plan", wish(draft))
    client.post(f"{path}/launch")
    api.clock.advance(hours=1)
    control, treatment = (variation["id"] for variation in draft["variations"])
    weights = {"weights": {control: 0.9, treatment: 0.1}, "confirm_live_impact": True}
    assert client.put(f"{path}/variations/weights", weights).status == 200
    plan = client.get(path).json()["planned_test"]
    assert plan["epoch_started_at"] == api.world.now()
    assert plan["required_total_visitors"] > 2 * 106_422


def test_schedule__launch__freezes_a_plan_too(client: Client, draft: Json, api: MemoryApi, tenant: Tenant) -> None:
    traffic(api, tenant, visited=1000, purchased=40)
    client.put(f"{path_of(draft)}/schedule", {"start_at": at(api, hours=1)})
    api.clock.advance(hours=1)
    assert run_schedule(api) == {"done": 1}
    assert client.get(path_of(draft)).json()["planned_test"]["epoch_started_at"] == api.world.now()


def test_schedule__launch_that_lacks_its_plan__is_taken_off_with_the_reason(
    client: Client, create: Create, api: MemoryApi
) -> None:
    made = create(goals=GOALS, **HORIZON)
    client.put(f"{path_of(made)}/schedule", {"start_at": at(api, hours=1)})
    api.clock.advance(hours=1)
    assert run_schedule(api) == {"unscheduled": 1}
    row = client.get(f"{path_of(made)}/history").json()["data"][0]
    assert "needs a plan" in str(row["diff"])


def test_duplicate__planned_experiment__is_planned_anew(client: Client, draft: Json) -> None:
    client.put(f"{path_of(draft)}/plan", wish(draft))
    assert client.post(f"{path_of(draft)}/duplicate").json()["planned_test"] is None


def test_adjustment__of_the_shop__is_that_of_plans_without_their_own(
    client: Client, create: Create, api: MemoryApi, tenant: Tenant
) -> None:
    caller = Caller(key_id="k", kind="shop", user_id="u", shop_id=tenant.shop.id, scopes=frozenset(), request_id="r")
    patch = UpdateShopDefaults.model_validate({"covariate_adjustment": "cuped"})
    Shops(api.world, api.management.publication).update_defaults(caller, patch, None)
    made = create(goals=GOALS)

    inherited = client.put(f"{path_of(made)}/plan", wish(made)).json()["planned_test"]
    own = client.put(f"{path_of(made)}/plan", wish(made, covariate_adjustment="none")).json()["planned_test"]

    assert (inherited["covariate_adjustment"], own["covariate_adjustment"]) == ("cuped", "none")


def test_adjustment__of_a_running_test__is_kept_and_cannot_be_chosen(client: Client, draft: Json) -> None:
    path, consent = f"{path_of(draft)}/plan", {"confirm_live_impact": True}
    chosen = wish(draft, covariate_adjustment="cuped")
    assert client.put(path, chosen).status == 200
    running = client.post(f"{path_of(draft)}/launch").json()
    assert running["planned_test"]["covariate_adjustment"] == "cuped"

    for same in (chosen, wish(draft)):
        answer = client.put(path, same)
        assert answer.json()["planned_test"] == running["planned_test"]
    refusal = client.put(path, {**chosen, "mde": 0.2, **consent})
    other = client.put(path, {**wish(draft), "mde": 0.2, **consent}).json()["planned_test"]

    assert (refusal.status, refusal.paths) == (422, ["covariate_adjustment"])
    assert (other["covariate_adjustment"], other["mde"]) == ("none", 0.2)
