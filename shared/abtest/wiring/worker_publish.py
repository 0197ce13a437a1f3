"""Composition root of worker_publish."""

from abtest.adapters import aws
from abtest.ports.waits import CallerKind
from abtest.services.sweep import publish_from_message
from abtest.wiring.batches import each_message
from abtest.wiring.handler import Handler
from abtest.wiring.publication import publication


def create_handler() -> Handler:
    """Return the handler of PublishQueue: messages that could not be published are reported and come again."""
    aws.serve(CallerKind.WORKER)
    publishes = publication()
    return each_message(lambda body: publish_from_message(publishes, body))
