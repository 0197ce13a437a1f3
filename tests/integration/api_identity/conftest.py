"""Sign-in and two families of the API in memory."""

import pytest

from abtest.http.factory import create_app, handler
from abtest.wiring.api_experiments import experiments_uses
from abtest.wiring.api_identity import identity_uses
from abtest.wiring.api_settings import settings_uses
from api_experiments.routes import ROUTERS as EXPERIMENTS
from api_identity.routes import ROUTERS
from api_settings.routes import ROUTERS as SETTINGS
from tests.support.api import MemoryApi
from tests.support.console import Browser


@pytest.fixture
def api() -> MemoryApi:
    """The routes of sign-in next to those of experiments and settings."""
    api = MemoryApi([])
    base = api.management
    uses = {**settings_uses(base), **experiments_uses(base), **identity_uses(base)}
    api.handler = handler(create_app([*ROUTERS, *SETTINGS, *EXPERIMENTS], base.services(uses)))
    return api


@pytest.fixture
def browser(api: MemoryApi) -> Browser:
    """A browser without a session."""
    return Browser(api.handler)
