"""The personalizations family in memory."""

from collections.abc import Callable
from typing import Any

import pytest

from abtest.http.factory import create_app, handler
from abtest.services.goals import ShopGoals
from abtest.wiring.api_personalizations import personalizations_uses
from api_experiments.endpoints.shop_goals import router as shop_goals
from api_personalizations.routes import ROUTERS
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client

Create = Callable[..., dict[str, Any]]
Goal = Callable[[str], str]


@pytest.fixture
def api() -> MemoryApi:
    """Personalizations, and the shop's goals that they are measured by."""
    api = MemoryApi([])
    base = api.management
    uses = {**personalizations_uses(base), ShopGoals: ShopGoals(base.world)}
    api.handler = handler(create_app([*ROUTERS, shop_goals], base.services(uses)))
    return api


@pytest.fixture
def tenant(api: MemoryApi) -> Tenant:
    """A shop with an admin key."""
    return api.tenant()


@pytest.fixture
def client(api: MemoryApi, tenant: Tenant) -> Client:
    """The shop's admin."""
    return api.client(tenant.admin)


@pytest.fixture
def create(api: MemoryApi, client: Client) -> Create:
    """Makes a personalization from the stated fields and returns it, each a second after the one before."""
    made = 0

    def make(**fields: Any) -> dict[str, Any]:
        nonlocal made
        made += 1
        api.clock.advance(seconds=1)
        answer = client.post("/personalizations", {"name": "Hero", "key": f"hero-{made}", **fields})
        assert answer.status == 201, answer.body
        body: dict[str, Any] = answer.json()
        return body

    return make


@pytest.fixture
def goal(client: Client) -> Goal:
    """Makes a goal of the shop and returns its id."""

    def make(name: str) -> str:
        answer = client.post("/goals", {"name": name, "type": "pageview"})
        assert answer.status == 201, answer.body
        return str(answer.json()["id"])

    return make
