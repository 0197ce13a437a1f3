"""Checks of landing pages, as the workers with and without a browser make them."""

from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.services.context import World
from abtest.services.jobs import Workbench
from abtest.services.pages.checker import InBrowser, PageChecker
from abtest.services.pages.sites import Sites
from abtest.wiring.egress import customer_rules
from abtest.wiring.settings import Settings

LINK_SECONDS, LINK_BYTES = 10.0, 64 * 1024
"""Limits of the request for a link: only its status matters, so the rest of a long answer is not read."""


def page_checker(config: Settings, world: World, in_browser: InBrowser | None = None) -> PageChecker:
    """Return the use case of checks. Without `in_browser` a QA run notes that no browser opened the page."""
    client = OutboundHttp(customer_rules(config), Limits(seconds=LINK_SECONDS, body_bytes=LINK_BYTES))
    return PageChecker(
        world=world,
        bench=Workbench(world),
        sites=Sites(
            catalog=world.catalog,
            worker_base_url=config.worker_base_url,
            assets_base_url=config.assets_base_url,
        ),
        senders=client.session,
        in_browser=in_browser,
    )
