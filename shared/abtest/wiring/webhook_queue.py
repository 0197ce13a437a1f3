"""The queue of worker_webhooks, for all functions that send to it."""

from abtest.adapters.sqs import SqsQueue
from abtest.services.webhooks.doorbell import Doorbell
from abtest.wiring.settings import Settings


def webhook_notifications(config: Settings) -> Doorbell:
    """Notifications of the worker. Raises MissingSettingError."""
    config.need("webhook_queue_url")
    return Doorbell(SqsQueue(config.webhook_queue_url))
