"""Composition root of worker_screenshots."""

from collections.abc import Callable, Mapping

from abtest.adapters import aws
from abtest.adapters.browser import ChromiumBrowsers
from abtest.domain.jobs.model import JobType
from abtest.ports.browser import Browsers
from abtest.ports.waits import CallerKind
from abtest.services.context import World
from abtest.services.jobs.dispatch import by_type
from abtest.wiring.batches import each_message
from abtest.wiring.egress import customer_rules
from abtest.wiring.handler import Handler
from abtest.wiring.settings import Settings, settings
from abtest.wiring.worlds import world_of


def create_handler() -> Handler:
    """Return the handler of ScreenshotQueue. Raises MissingSettingError.

    Messages whose job was not brought to an end are reported, and come again.
    """
    aws.serve(CallerKind.WORKER)
    config = settings()
    config.need("catalog_table", "blobs_bucket", "worker_base_url", "assets_base_url")
    world = world_of(config)
    browsers = ChromiumBrowsers(rules=customer_rules(config))
    return each_message(by_type(world.catalog, use_cases(config, world, browsers)))


def use_cases(config: Settings, world: World, browsers: Browsers) -> Mapping[JobType, Callable[[str], object]]:
    """Return the use case of each type of job that needs a browser."""
    del config, world, browsers
    return {}
