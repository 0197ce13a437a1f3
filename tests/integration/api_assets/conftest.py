"""The assets family in memory."""

import pytest

from abtest.wiring.api_assets import assets_uses
from api_assets.routes import ROUTERS
from tests.support.api import MemoryApi
from tests.support.memory import MemoryAssetFiles


@pytest.fixture
def api() -> MemoryApi:
    """The whole family, under the policy of its function."""
    api = MemoryApi([])
    api.serve("ApiAssets", ROUTERS, assets_uses(api.management))
    return api


@pytest.fixture
def files(api: MemoryApi) -> MemoryAssetFiles:
    """The bucket of assets."""
    return api.management.files
