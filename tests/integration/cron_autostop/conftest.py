"""The experiments family in memory, for tests of what people see and undo."""

import pytest

from abtest.wiring.api_experiments import experiments_uses
from api_experiments.routes import ROUTERS
from tests.support.api import MemoryApi
from tests.support.memory import MemorySessions


@pytest.fixture
def api() -> MemoryApi:
    """Experiments and what belongs to them."""
    api = MemoryApi([])
    api.serve("ApiExperiments", ROUTERS, experiments_uses(api.management, MemorySessions()))
    return api
