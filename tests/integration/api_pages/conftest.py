"""The landing pages family in memory."""

import pytest

from abtest.wiring.api_pages import pages_uses
from api_pages.routes import ROUTERS
from tests.support.api import MemoryApi


@pytest.fixture
def api() -> MemoryApi:
    """The whole family in a deployment without a browser, under the policy of its function."""
    api = MemoryApi([])
    api.management.without_browser()
    api.serve("ApiPages", ROUTERS, pages_uses(api.management))
    return api
