"""The queue of worker_webhooks, for all functions that send to it."""

from abtest.adapters.sqs import SqsQueue
from abtest.services.webhooks.notification import WorkerNotifier
from abtest.wiring.settings import Settings


def webhook_notifications(config: Settings) -> WorkerNotifier:
    """Notifications of the worker. Raises MissingSettingError."""
    config.need("webhook_queue_url")
    return WorkerNotifier(SqsQueue(config.webhook_queue_url))
