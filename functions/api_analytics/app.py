"""Entry point of the analytics family."""

from abtest.wiring.api import analytics_uses, family
from api_analytics.routes import results

handler = family([results], analytics_uses)
