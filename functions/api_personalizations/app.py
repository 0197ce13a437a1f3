"""Entry point of the personalizations family."""

from abtest.wiring.api import family
from abtest.wiring.personalizations import personalizations_uses
from api_personalizations.routes import ROUTERS

handler = family(ROUTERS, personalizations_uses)
