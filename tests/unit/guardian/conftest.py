"""A running experiment that Guardian looks at."""

import pytest

from tests.unit.guardian.stands import Stand


@pytest.fixture
def stand() -> Stand:
    """In memory, at midnight."""
    return Stand()
