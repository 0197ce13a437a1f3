"""The workspace family in memory."""

import pytest

from abtest.wiring.api_workspace import workspace_uses
from api_workspace.routes import ROUTERS
from tests.support.api import MemoryApi


@pytest.fixture
def api() -> MemoryApi:
    """The whole family, under the policy of its function."""
    api = MemoryApi([])
    api.serve("ApiWorkspace", ROUTERS, workspace_uses(api.management))
    return api
