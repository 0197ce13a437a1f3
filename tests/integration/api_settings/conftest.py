"""The settings family in memory."""

import pytest

from abtest.wiring.api_settings import settings_uses
from api_settings.routes import ROUTERS
from tests.support.api import MemoryApi


@pytest.fixture
def api() -> MemoryApi:
    """The whole family."""
    api = MemoryApi([])
    api.serve("ApiSettings", ROUTERS, settings_uses(api.management))
    return api
