"""Composition root of worker_profiles."""

from collections.abc import Callable, Mapping

from abtest.adapters import aws
from abtest.adapters.documents.reader import PdfTexts
from abtest.adapters.dynamo import DynamoLookStore, DynamoRollupStore
from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.adapters.s3.asset_files import S3AssetFiles
from abtest.domain.jobs.model import JobType
from abtest.ports.waits import CallerKind
from abtest.services.context import World
from abtest.services.jobs import Workbench
from abtest.services.jobs.dispatch import by_type
from abtest.services.profiles.experience import Experience
from abtest.services.profiles.profiler import ABOUT_VISITS, Profiler
from abtest.services.profiles.visitor import PAGE_SECONDS
from abtest.services.results import Results, RollupReader
from abtest.services.settings.brand_reader import BrandReader
from abtest.wiring.batches import each_message
from abtest.wiring.egress import customer_rules
from abtest.wiring.handler import Handler
from abtest.wiring.settings import Settings, settings
from abtest.wiring.worlds import world_of

PAGE_BYTES = 3 * 1024 * 1024
"""Limit of each body of a profile run; what is larger is cut."""


def create_handler() -> Handler:
    """Return the handler of ProfileQueue. Raises MissingSettingError.

    Messages whose job was not brought to an end are reported, and come again.
    """
    aws.serve(CallerKind.WORKER)
    config = settings()
    config.need("catalog_table", "blobs_bucket", "worker_base_url")
    world = world_of(config)
    return each_message(by_type(world.catalog, use_cases(config, world)))


def use_cases(config: Settings, world: World) -> Mapping[JobType, Callable[[str], object]]:
    """Return the use case of each type of job that reads what others wrote. Raises MissingSettingError."""
    config.need("assets_bucket")
    files = S3AssetFiles(config.assets_bucket)
    reader = BrandReader(world=world, bench=Workbench(world), files=files, documents=PdfTexts())
    return {"store_profile": profiler(config, world).carry_out, "brand_excerpts": reader.carry_out}


def profiler(config: Settings, world: World) -> Profiler:
    """Return the use case of profile runs. Raises MissingSettingError."""
    config.need("rollups_table", "api_base_url")
    rules = customer_rules(config)
    reader = RollupReader(DynamoRollupStore(config.rollups_table))
    return Profiler(
        world=world,
        bench=Workbench(world),
        senders=OutboundHttp(rules, Limits(seconds=PAGE_SECONDS, body_bytes=PAGE_BYTES)).session,
        rules=rules,
        experience=Experience(world=world, results=Results(world, reader, DynamoLookStore(config.rollups_table))),
        worker_base_url=config.worker_base_url,
        about_url=f"{config.api_base_url}/docs?api={ABOUT_VISITS}",
    )
