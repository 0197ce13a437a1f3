"""A shop whose pages are pictured."""

import pytest

from tests.support.api import MemoryApi
from tests.support.screenshots import Studio


@pytest.fixture
def studio() -> Studio:
    """A shop, a queue and a scripted browser."""
    api = MemoryApi([])
    return Studio(api, api.tenant())
