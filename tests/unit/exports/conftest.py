"""One office a test."""

import pytest

from tests.unit.exports.office import Office


@pytest.fixture
def office() -> Office:
    """Nothing has happened yet."""
    return Office()
