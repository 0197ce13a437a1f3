"""The settings family in memory."""

import pytest

from api_settings.routes import ROUTERS
from tests.support.api import MemoryApi, Tenant


@pytest.fixture
def api() -> MemoryApi:
    """The whole family."""
    return MemoryApi(ROUTERS)


@pytest.fixture
def tenant(api: MemoryApi) -> Tenant:
    """A shop with an admin key."""
    return api.tenant()
