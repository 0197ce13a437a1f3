"""Entry point of the flags family."""

from abtest.wiring.api import family
from abtest.wiring.api_flags import flags_uses
from api_flags.routes import ROUTERS

handler = family(ROUTERS, flags_uses)
