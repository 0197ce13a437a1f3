"""Composition root of worker_pages."""

from abtest.adapters import aws
from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.ports.waits import CallerKind
from abtest.services.jobs import Workbench
from abtest.services.pages.checker import PageChecker
from abtest.services.pages.sites import Sites
from abtest.wiring.batches import each_message
from abtest.wiring.egress import customer_rules
from abtest.wiring.handler import Handler
from abtest.wiring.settings import settings
from abtest.wiring.worlds import world_of

LINK_SECONDS, LINK_BYTES = 10.0, 64 * 1024
"""Limits of the request for a link: only its status matters, so the rest of a long answer is not read."""


def create_handler() -> Handler:
    """Return the handler of PageQueue. Raises MissingSettingError.

    Messages whose check was not brought to an end are reported, and come again.
    """
    aws.serve(CallerKind.WORKER)
    config = settings()
    config.need("catalog_table", "blobs_bucket", "worker_base_url", "assets_base_url")
    world = world_of(config)
    client = OutboundHttp(customer_rules(config), Limits(seconds=LINK_SECONDS, body_bytes=LINK_BYTES))
    checker = PageChecker(
        world=world,
        bench=Workbench(world),
        sites=Sites(
            catalog=world.catalog,
            worker_base_url=config.worker_base_url,
            assets_base_url=config.assets_base_url,
        ),
        senders=client.session,
    )
    return each_message(checker.carry_out)
