"""The family as it is deployed: the handlers of the template on DynamoDB and S3, as moto has them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest

from abtest.kit.clock import timestamp
from abtest.wiring.settings import settings
from tests.support.client import Client
from tests.support.handlers import Handler, fresh_handler
from tests.support.moto_stack import AwsStack


@pytest.fixture
def handler(aws_stack: AwsStack) -> Iterator[Handler]:
    """The function in a fresh process."""
    yield fresh_handler(aws_stack, "ApiExperiments", "api_experiments")
    settings.cache_clear()


@pytest.fixture
def client(handler: Handler) -> Client:
    """The admin of a new shop, calling the experiments family."""
    from abtest.services.shops import Shops
    from abtest.wiring.api import management

    base = management()
    wish = {"name": "Shop", "domain": "shop.example", "currency": "EUR"}
    _, minted = Shops(base.world, base.publication).found(base.world.new_id(), wish)
    return Client(handler, key=minted.text)


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


def test_preview_link__session__is_kept(client: Client) -> None:
    made = client.post("/experiments", {"name": "x"}).json()
    link = f"/experiments/{made['id']}/variations/{made['variations'][0]['id']}/preview-link"
    assert client.post(link, {"url": "https://shop.example/"}).status == 201


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
