"""Entry point of the analytics family."""

from abtest.wiring.api import family
from abtest.wiring.api_analytics import analytics_uses
from api_analytics.routes import ROUTERS

handler = family(ROUTERS, analytics_uses)
