"""Entry point of the webhooks family."""

from abtest.wiring.api import family
from abtest.wiring.api_webhooks import webhook_uses
from api_webhooks.routes import ROUTERS

handler = family(ROUTERS, webhook_uses)
