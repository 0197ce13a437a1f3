"""Composition root of worker_screenshots."""

from collections.abc import Callable, Mapping

from abtest.adapters import aws
from abtest.adapters.browser import ChromiumBrowsers
from abtest.adapters.images import PillowCodec
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.s3.asset_files import S3AssetFiles
from abtest.adapters.scripts import QuickJsChecker
from abtest.adapters.sqs import SqsQueue
from abtest.domain.install.tags import origin_of
from abtest.domain.jobs.model import JobType
from abtest.ports.browser import Browsers
from abtest.ports.waits import CallerKind
from abtest.services.assets.pictures import Pictures
from abtest.services.assets.uses import AssetLibrary
from abtest.services.context import World
from abtest.services.jobs import Workbench
from abtest.services.jobs.dispatch import by_type
from abtest.services.pages.browser_qa import BrowserQa
from abtest.services.pages.documents import PageDocuments
from abtest.services.pages.inlined import InlinedAssets
from abtest.services.publication.preview_snippets import PreviewSnippets
from abtest.services.screenshots.photographer import Photographer
from abtest.storefront import bundle
from abtest.wiring.batches import each_message
from abtest.wiring.egress import customer_rules
from abtest.wiring.handler import Handler
from abtest.wiring.page_checks import page_checker
from abtest.wiring.settings import Settings, settings
from abtest.wiring.worlds import world_of


def create_handler() -> Handler:
    """Return the handler of ScreenshotQueue. Raises MissingSettingError.

    Messages whose job was not brought to an end are reported, and come again.
    """
    aws.serve(CallerKind.WORKER)
    config = settings()
    config.need(
        "catalog_table", "blobs_bucket", "delivery_bucket", "assets_bucket", "worker_base_url", "assets_base_url"
    )
    world = world_of(config)
    browsers = ChromiumBrowsers(rules=customer_rules(config))
    return each_message(by_type(world.catalog, use_cases(config, world, browsers)))


def use_cases(config: Settings, world: World, browsers: Browsers) -> Mapping[JobType, Callable[[str], object]]:
    """Return the use case of each type of job that needs a browser."""
    config.need("screenshot_queue_url")
    return {
        "qa_run": page_checker(config, world, browser_qa(config, world, browsers)).carry_out,
        "screenshot": photographer(config, world, browsers).carry_out,
    }


def photographer(config: Settings, world: World, browsers: Browsers) -> Photographer:
    """Return the use case of screenshot jobs."""
    snippets = PreviewSnippets(
        catalog=world.catalog, checker=QuickJsChecker(), bundle=bundle, worker_base_url=config.worker_base_url
    )
    return Photographer(
        world=world,
        bench=Workbench(world),
        browsers=browsers,
        pictures=Pictures(world=world, files=S3AssetFiles(config.assets_bucket), codec=PillowCodec()),
        snippet_of=snippets.of,
        queue=SqsQueue(config.screenshot_queue_url),
        origin=origin_of(config.assets_base_url),
        own_urls=(config.worker_base_url, config.assets_base_url),
    )


def browser_qa(config: Settings, world: World, browsers: Browsers) -> BrowserQa:
    """Return the part of QA runs that needs a browser."""
    files = S3AssetFiles(config.assets_bucket)
    return BrowserQa(
        browsers=browsers,
        documents=PageDocuments(
            delivery=S3Blobs(config.delivery_bucket),
            library=AssetLibrary(catalog=world.catalog, assets_base_url=config.assets_base_url),
            inlined=InlinedAssets(files=files),
        ),
        pictures=Pictures(world=world, files=files, codec=PillowCodec()),
        origin=config.assets_base_url,
        own_urls=(config.worker_base_url, config.assets_base_url),
    )
