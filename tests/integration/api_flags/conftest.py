"""The flags family in memory."""

from collections.abc import Callable
from typing import Any

import pytest

from abtest.wiring.api_flags import flags_uses
from api_flags.routes import ROUTERS
from tests.support.api import MemoryApi
from tests.support.client import Client

Flag = dict[str, Any]


@pytest.fixture
def api() -> MemoryApi:
    """Flags."""
    api = MemoryApi([])
    api.serve("ApiFlags", ROUTERS, flags_uses(api.management))
    return api


@pytest.fixture
def create(client: Client) -> Callable[..., Flag]:
    """Makes a flag from the stated fields and returns it."""

    def made(key: str = "new-checkout", **fields: Any) -> Flag:
        answer = client.post("/flags", {"key": key, "name": "New checkout", **fields})
        assert answer.status == 201, answer.body
        body: Flag = answer.json()
        return body

    return made
