"""Entry point of the personalizations family."""

from abtest.wiring.api import family
from abtest.wiring.api_personalizations import personalizations_uses
from api_personalizations.routes import ROUTERS

handler = family(ROUTERS, personalizations_uses)
