"""Entry point of the settings family."""

from abtest.wiring.api import family, settings_uses
from api_settings.routes import keys, meta, shops

handler = family([meta, shops, keys], settings_uses)
