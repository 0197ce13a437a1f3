"""Composition root of worker_publish."""

from abtest.adapters import aws
from abtest.kit import canonical_json
from abtest.ports.waits import CallerKind
from abtest.services.pages.flips import PageFlips
from abtest.services.pages.promises import keep_promise
from abtest.services.sweep import publish_from_message
from abtest.wiring.batches import each_message
from abtest.wiring.handler import Handler
from abtest.wiring.publication import publication


def create_handler() -> Handler:
    """Return the handler of PublishQueue: messages that could not be published are reported and come again."""
    aws.serve(CallerKind.WORKER)
    publishes = publication()
    flips = PageFlips(world=publishes.world, delivery=publishes.blobs, cdn=publishes.cdn)

    def work(body: str) -> None:
        message = canonical_json.loads(body)
        if "promise" in message:
            keep_promise(publishes.world.catalog, flips, message)
        else:
            publish_from_message(publishes, body)

    return each_message(work)
