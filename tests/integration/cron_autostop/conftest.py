"""The experiments family in memory, for tests of what people see and undo."""

import pytest

from abtest.wiring.api_experiments import experiments_uses
from api_experiments.routes import ROUTERS
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.memory import MemorySessions


@pytest.fixture
def api() -> MemoryApi:
    """Experiments and what belongs to them."""
    api = MemoryApi([])
    api.serve("ApiExperiments", ROUTERS, experiments_uses(api.management, MemorySessions()))
    return api


@pytest.fixture
def tenant(api: MemoryApi) -> Tenant:
    """A shop that asks for no approval, with an admin key."""
    return api.tenant()


@pytest.fixture
def client(api: MemoryApi, tenant: Tenant) -> Client:
    """The shop's admin."""
    return api.client(tenant.admin)
