"""Another currency of a shop while something runs: only with an acknowledgement."""

from __future__ import annotations

import pytest

from abtest.wiring.api_experiments import experiments_uses
from abtest.wiring.api_personalizations import personalizations_uses
from abtest.wiring.api_settings import settings_uses
from api_experiments.routes import ROUTERS as EXPERIMENTS
from api_personalizations.routes import ROUTERS as PERSONALIZATIONS
from api_settings.routes import ROUTERS as SETTINGS
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.memory import MemorySessions


@pytest.fixture
def api() -> MemoryApi:
    """Settings, experiments and personalizations, each under the policy of its function."""
    api = MemoryApi([])
    base, handlers = api.management, []
    for function_id, routers, uses in (
        ("ApiExperiments", EXPERIMENTS, experiments_uses(base, MemorySessions())),
        ("ApiPersonalizations", PERSONALIZATIONS, personalizations_uses(base)),
        ("ApiSettings", SETTINGS, settings_uses(base)),
    ):
        api.serve(function_id, routers, uses)
        handlers.append(api.handler)
    experiments, personalizations, settings = handlers
    families = {"experiments": experiments, "personalizations": personalizations}
    api.handler = lambda event, context: families.get(event["rawPath"].split("/")[3], settings)(event, context)
    return api


@pytest.fixture
def shop(tenant: Tenant) -> str:
    return f"/shops/{tenant.shop.id}"


def test_currency__while_something_runs__needs_an_acknowledgement(client: Client, shop: str) -> None:
    experiment = client.post("/experiments", {"name": "Headline"}).json()
    client.post("/experiments", {"name": "Draft"})
    client.post(f"/experiments/{experiment['id']}/launch")
    hero = client.post("/personalizations", {"name": "Hero", "key": "hero", "activate": True}).json()
    refused = client.patch(shop, {"currency": "USD", "name": "New"})
    assert (refused.status, refused.code) == (409, "page_live_impact")
    assert refused.json()["live_experiments"] == [
        {"id": experiment["id"], "name": "Headline", "consumer": "experiment"},
        {"id": hero["id"], "name": "Hero", "consumer": "personalization"},
    ]
    unchanged = client.get(shop).json()
    assert (unchanged["currency"], unchanged["name"]) == ("EUR", "Shop")
    some = {"confirm_live_impact": True, "confirmed_consumer_ids": [experiment["id"]]}
    assert client.patch(shop, {"currency": "USD", **some}).code == "page_live_impact"
    every = {"confirm_live_impact": True, "confirmed_consumer_ids": [experiment["id"], hero["id"]]}
    assert client.patch(shop, {"currency": "USD", **every}).json()["currency"] == "USD"
    assert client.patch(shop, {"currency": "CHF", "confirm_live_impact": True}).json()["currency"] == "CHF"


def test_currency__unchanged_or_nothing_runs__needs_none(client: Client, shop: str) -> None:
    path = f"/experiments/{client.post('/experiments', {'name': 'Headline'}).json()['id']}"
    assert client.patch(shop, {"currency": "USD"}).status == 200
    client.post(f"{path}/launch")
    assert client.patch(shop, {"currency": "USD", "name": "Same"}).status == 200
    assert client.patch(shop, {"holdout_pct": 5}).status == 200
    client.post(f"{path}/pause")
    assert client.patch(shop, {"currency": "EUR"}).status == 200
