"""Entry point of the analytics family."""

from abtest.wiring.api import analytics_uses, family
from api_analytics.routes import ROUTERS

handler = family(ROUTERS, analytics_uses)
