"""Sign-in and two families of the API in memory, sign-in under the policy of its function."""

from typing import Any

import pytest

from abtest.http.factory import create_app, handler
from abtest.wiring.api_experiments import experiments_uses
from abtest.wiring.api_identity import identity_uses
from abtest.wiring.api_settings import settings_uses
from api_experiments.routes import ROUTERS as EXPERIMENTS
from api_identity.routes import ROUTERS
from api_settings.routes import ROUTERS as SETTINGS
from tests.support.api import MemoryApi, Tenant
from tests.support.console import Browser, Post, begun


@pytest.fixture
def post() -> Post:
    """Mail that was sent."""
    return Post()


@pytest.fixture
def slept() -> list[float]:
    """Seconds for which answers waited."""
    return []


@pytest.fixture
def api(post: Post, slept: list[float]) -> MemoryApi:
    """The routes of sign-in next to those of experiments and settings."""
    api = MemoryApi([])
    base = api.management
    uses = {**settings_uses(base), **experiments_uses(base), **identity_uses(base, post, sleep=slept.append)}
    api.serve("ApiIdentity", ROUTERS, uses)
    identity, others = api.handler, handler(create_app([*SETTINGS, *EXPERIMENTS], base.services(uses)))

    def either(event: dict[str, Any], context: Any = None) -> dict[str, Any]:
        return others(event, context) if event["rawPath"].startswith("/api/") else identity(event, context)

    api.handler = either
    return api


@pytest.fixture
def browser(api: MemoryApi) -> Browser:
    """A browser without a session."""
    return Browser(api.handler)


@pytest.fixture
def owner(api: MemoryApi, tenant: Tenant) -> Browser:
    """The owner of the shop, signed in as on a local stack."""
    return Browser(api.handler, begun(api.management, tenant.user_id).token, shop_id=tenant.shop.id)
