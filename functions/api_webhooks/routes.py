"""Routes of the family, one module per resource."""

from api_webhooks.endpoints.deliveries import router as deliveries
from api_webhooks.endpoints.events import router as events
from api_webhooks.endpoints.secrets import router as secrets
from api_webhooks.endpoints.webhooks import router as webhooks

ROUTERS = (events, webhooks, secrets, deliveries)
