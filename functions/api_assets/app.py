"""Entry point of the assets family."""

from abtest.wiring.api import family
from abtest.wiring.api_assets import assets_uses
from api_assets.routes import ROUTERS

handler = family(ROUTERS, assets_uses)
