"""The family as it is deployed: the handlers of the template on DynamoDB and S3, as moto has them."""

from __future__ import annotations

import time
from datetime import timedelta
from random import Random

import pytest

from abtest.adapters.s3 import S3Blobs
from abtest.domain.preview.session import snippet_key
from abtest.domain.settings.install_domains import claim_name
from abtest.kit.clock import timestamp
from abtest.ports.catalog import Claim, Commit
from abtest.wiring.api import management
from abtest.wiring.settings import settings
from tests.support.client import Client
from tests.support.deployed import DeployedFamily
from tests.support.handlers import fresh_handler
from tests.support.moto_stack import AwsStack

HOST = "previewed.shop.example"


@pytest.fixture
def deployed(aws_stack: AwsStack) -> DeployedFamily:
    return DeployedFamily.started(aws_stack, "ApiExperiments", "api_experiments")


@pytest.fixture
def client(deployed: DeployedFamily) -> Client:
    """The admin of a new shop, calling the experiments family."""
    return deployed.client


def test_experiment__made_edited_launched__is_read_back_and_published(client: Client, aws_stack: AwsStack) -> None:
    goals = [{"name": str(n), "type": "pageview"} for n in range(50)]
    arms = [{"name": str(n), "custom_js": f"{n}" * 150_000, "weight": 0.1} for n in range(10)]
    answer = client.post("/experiments", {"name": "Full", "slug": "full", "goals": goals, "variations": arms})
    assert answer.status == 201, answer.body[:500]
    made = answer.json()
    path = f"/experiments/{made['public_id']}"
    assert client.get(path).json() == made
    assert client.patch(path, {"name": "Fuller", "slug": "fuller"}, headers={"if-match": 'W/"1"'}).status == 200
    assert client.post("/experiments", {"name": "x", "slug": "fuller"}).code == "slug_taken"
    assert client.post("/experiments", {"name": "x", "slug": "full"}).status == 201
    assert client.patch(f"/variations/{made['variations'][3]['public_id']}", {"name": "Three"}).status == 200
    launched = client.post(f"{path}/launch")
    assert launched.status == 200, launched.body[:500]
    assert [row["action"] for row in client.get(f"{path}/history").json()["data"]] == [
        "experiment.launch",
        "variation.update",
        "experiment.update",
        "experiment.create",
    ]
    assert client.get("/experiments", query={"status": "running"}).json()["data"][0]["name"] == "Fuller"


def test_launch__repeated__is_published_once_a_second(deployed: DeployedFamily, client: Client) -> None:
    path = f"/experiments/{client.post('/experiments', {'name': 'x'}).json()['id']}"
    assert client.post(f"{path}/launch").status == 200
    first, began = deployed.revision(), time.monotonic()
    for _ in range(12):
        assert client.post(f"{path}/launch").status == 200
    assert 1 <= deployed.revision() - first <= time.monotonic() - began + 1


def test_shop_goal__whose_filter_of_450_kb_is_replaced__answers_200(client: Client) -> None:
    random = Random(1)  # text that does not compress

    def large() -> dict[str, object]:
        conditions = [
            {"property": "plan", "operator": "in", "value": [random.randbytes(500).hex() for _ in range(45)]}
            for _ in range(10)
        ]
        return {"version": 1, "conditions": conditions}

    goal = {"name": "Subscribed", "type": "custom", "event_name": "subscribe", "filter": large()}
    path = f"/goals/{client.post('/goals', goal).json()['id']}"
    other = large()
    assert client.patch(path, {"filter": other}).status == 200
    assert client.get(path).json()["filter"] == other


def test_schedule__due__is_carried_out_by_the_cron(
    client: Client, aws_stack: AwsStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/experiments/{client.post('/experiments', {'name': 'x'}).json()['id']}"
    from abtest.kit.clock import SystemClock

    now = SystemClock().now()
    assert client.put(f"{path}/schedule", {"start_at": timestamp(now + timedelta(minutes=1))}).status == 200
    launch = fresh_handler(aws_stack, "CronLaunch", "cron_launch")
    assert launch({}, None) == {}
    monkeypatch.setattr(SystemClock, "now", lambda self: now + timedelta(minutes=2))
    assert launch({}, None) == {"done": 1}
    assert launch({}, None) == {}
    assert client.get(path).json()["status"] == "running"


def test_preview__session__is_kept_with_its_snippet_until_it_is_revoked(
    deployed: DeployedFamily, client: Client, aws_stack: AwsStack
) -> None:
    claim = Claim(scope=None, name=claim_name(HOST), target_id="x", target_shop_id=deployed.tenant.shop.id)
    management().world.catalog.commit(Commit(claims=[claim]))
    made = client.post("/experiments", {"name": "x"}).json()
    opened = client.post("/previews", {"url": f"https://{HOST}/", "experiment_id": made["id"]})
    assert opened.status == 201, opened.body
    path, shown = f"/previews/{opened.json()['session_id']}", opened.json()["variation_id"]
    assert client.get(path).json() == opened.json()
    blob = S3Blobs(aws_stack.name("DeliveryBucket")).get(snippet_key(opened.json()["session_id"], shown))
    assert blob is not None
    assert client.delete(path).status == 204
    assert client.get(path).status == 404


def test_page__used_by_a_running_experiment__asks_before_it_changes(client: Client) -> None:
    page = client.post("/pages", {"name": "Cart", "includeRules": [{"type": "simple", "pattern": "/cart"}]}).json()
    targeting = {"pageRules": [{"id": page["id"], "pageId": page["id"]}]}
    made = client.post("/experiments", {"name": "x", "targeting": targeting}).json()
    assert client.post(f"/experiments/{made['id']}/launch").status == 200
    change = {"includeRules": [], "confirm_live_impact": True}
    assert client.patch(f"/pages/{page['id']}", change).code == "page_live_impact"
    acknowledged = change | {"confirmed_consumer_ids": [made["id"]]}
    answer = client.patch(f"/pages/{page['id']}", acknowledged)
    assert (answer.status, "publication_warning" in answer.json()) == (200, False)


def test_exclusion_group__claims_its_members(client: Client) -> None:
    made = client.post("/experiments", {"name": "x"}).json()
    wish = {"name": "Group", "members": [{"experiment_id": made["id"], "share": 0.5}]}
    group = client.post("/exclusion-groups", wish)
    assert group.status == 201, group.body
    assert client.post("/exclusion-groups", wish).code == "conflict"
    assert client.delete(f"/exclusion-groups/{group.json()['id']}").status == 204
    assert client.post("/exclusion-groups", wish).status == 201


def test_plan__measured_by_roll_ups__is_stated_and_frozen_by_launch_and_cron(
    client: Client, deployed: DeployedFamily, aws_stack: AwsStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    from abtest.adapters.dynamo import DynamoRollupStore
    from abtest.domain.ledger.rollup_documents import shop_day_document
    from abtest.domain.ledger.shop_days import ShopDay
    from abtest.kit.clock import SystemClock

    now = SystemClock().now()
    rollups = DynamoRollupStore(settings().rollups_table)
    kept = client.post("/goals", {"name": "Click", "type": "click", "selector": "#b"}).json()
    goals = [{"name": "Revenue", "type": "revenue"}, {"goal_id": kept["id"]}]
    made, scheduled = (client.post("/experiments", {"name": "x", "goals": goals}).json() for _ in range(2))
    for ago in range(1, 29):
        steps = {"visited": 1000, "purchased": 40}
        date = f"{now - timedelta(days=ago):%Y-%m-%d}"
        day = ShopDay(shop_id=deployed.tenant.shop.id, date=date, currency="EUR", steps=steps)
        assert rollups.put_shop_day(shop_day_document(day, generation=1, computed_at=timestamp(now)))
    revenue, click = (goal["id"] for goal in made["goals"])

    path, later = f"/experiments/{made['id']}", f"/experiments/{scheduled['id']}"
    assert client.put(f"{path}/plan", {"goal_id": revenue, "mde": 0.1}).json()["planned_test"]["baseline_rate"] == 0.04
    launched = client.post(f"{path}/launch")
    assert launched.json()["planned_test"]["epoch_started_at"] == launched.json()["started_at"]

    control = made["variations"][0]["id"]
    counted = {"variations": {control: {"visitors": 400}}, "goals": {click: {control: {"converters": 80}}}}
    totals = {"experiment_id": made["id"], "measurement_epoch": 1, "generation": 1, **counted}
    assert rollups.put(totals, {}, {})
    plan = client.put(f"{later}/plan", {"goal_id": click, "mde": 0.1}).json()["planned_test"]
    assert plan["baseline_rate"] == 0.2

    assert client.put(f"{later}/schedule", {"start_at": timestamp(now + timedelta(minutes=1))}).status == 200
    third = client.post("/experiments", {"name": "x", "goals": goals[:1]}).json()["id"]
    client.put(f"/experiments/{third}/schedule", {"start_at": timestamp(now + timedelta(minutes=1))})
    launch = fresh_handler(aws_stack, "CronLaunch", "cron_launch")
    monkeypatch.setattr(SystemClock, "now", lambda self: now + timedelta(minutes=2))
    assert launch({}, None) == {"done": 2}
    found = [client.get(where).json()["planned_test"] for where in (later, f"/experiments/{third}")]
    assert [plan["baseline_rate"] for plan in found] == [0.2, 0.04]
    assert all(plan["epoch_started_at"] == timestamp(now + timedelta(minutes=2)) for plan in found)
