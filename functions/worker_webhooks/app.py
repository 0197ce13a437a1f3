"""Entry point."""

from abtest.wiring.webhooks import webhook_worker

handler = webhook_worker()
