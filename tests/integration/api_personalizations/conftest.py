"""The personalizations family in memory."""

from collections.abc import Callable
from typing import Any

import pytest

from abtest.services.goals import ShopGoals
from abtest.wiring.api_personalizations import personalizations_uses
from api_experiments.endpoints.shop_goals import router as shop_goals
from api_personalizations.routes import ROUTERS
from tests.support.api import MemoryApi
from tests.support.client import Client

Create = Callable[..., dict[str, Any]]
Goal = Callable[[str], str]


@pytest.fixture
def api() -> MemoryApi:
    """Personalizations, and the shop's goals that they are measured by."""
    api = MemoryApi([])
    base = api.management
    api.serve("ApiExperiments", [shop_goals], {ShopGoals: ShopGoals(base.world)})
    goals = api.handler
    api.serve("ApiPersonalizations", ROUTERS, personalizations_uses(base))
    own = api.handler
    api.handler = lambda event, context: (goals if "/goals" in event["rawPath"] else own)(event, context)
    return api


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
