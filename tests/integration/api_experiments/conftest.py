"""The experiments family in memory."""

from collections.abc import Callable
from typing import Any

import pytest

from abtest.wiring.api_experiments import experiments_uses
from api_experiments.routes import ROUTERS
from tests.support.api import MemoryApi
from tests.support.client import Client
from tests.support.memory import MemorySessions


@pytest.fixture
def sessions() -> MemorySessions:
    """Where preview sessions are kept."""
    return MemorySessions()


@pytest.fixture
def api(sessions: MemorySessions) -> MemoryApi:
    """Experiments, variations and goals."""
    api = MemoryApi([])
    api.serve("ApiExperiments", ROUTERS, experiments_uses(api.management, sessions))
    return api


@pytest.fixture
def create(client: Client) -> Callable[..., dict[str, Any]]:
    """Makes an experiment from the stated fields and returns it."""

    def made(**fields: Any) -> dict[str, Any]:
        answer = client.post("/experiments", {"name": "Headline", **fields})
        assert answer.status == 201, answer.body
        body: dict[str, Any] = answer.json()
        return body

    return made
