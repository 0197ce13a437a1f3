"""Composition root of worker_pages."""

from abtest.adapters import aws
from abtest.ports.waits import CallerKind
from abtest.wiring.batches import each_message
from abtest.wiring.handler import Handler
from abtest.wiring.page_checks import page_checker
from abtest.wiring.settings import settings
from abtest.wiring.worlds import world_of


def create_handler() -> Handler:
    """Return the handler of PageQueue. Raises MissingSettingError.

    Messages whose check was not brought to an end are reported, and come again.
    """
    aws.serve(CallerKind.WORKER)
    config = settings()
    config.need("catalog_table", "blobs_bucket", "worker_base_url", "assets_base_url")
    return each_message(page_checker(config, world_of(config)).carry_out)
