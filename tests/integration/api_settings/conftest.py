"""The settings family in memory."""

import pytest

from api_settings.routes import keys, meta, shops
from tests.support.api import MemoryApi, Tenant


@pytest.fixture
def api() -> MemoryApi:
    """Shops, keys and meta."""
    return MemoryApi([meta, shops, keys])


@pytest.fixture
def tenant(api: MemoryApi) -> Tenant:
    """A shop with an admin key."""
    return api.tenant()
