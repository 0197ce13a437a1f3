"""Entry point of the landing pages family."""

from abtest.wiring.api import family
from abtest.wiring.api_pages import pages_uses
from api_pages.routes import ROUTERS

handler = family(ROUTERS, pages_uses)
