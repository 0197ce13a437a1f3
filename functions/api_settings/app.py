"""Entry point of the settings family."""

from abtest.wiring.api import family
from abtest.wiring.api_settings import settings_uses
from api_settings.routes import ROUTERS

handler = family(ROUTERS, settings_uses)
