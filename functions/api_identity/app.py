"""Entry point of sign-in to the console."""

from abtest.wiring.api import family
from abtest.wiring.api_identity import identity_uses
from api_identity.routes import ROUTERS

handler = family(ROUTERS, identity_uses)
