"""Composition root of cron_sweep."""

from dataclasses import asdict
from typing import Any

from abtest.adapters import aws
from abtest.adapters.dynamo import DynamoDeliveryStore, DynamoLeases
from abtest.adapters.embedded_metrics import EmbeddedMetrics
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.s3.asset_files import S3AssetFiles
from abtest.adapters.sqs import SqsQueue
from abtest.domain.jobs.model import JobType
from abtest.ports.queue import Queue
from abtest.ports.waits import CallerKind
from abtest.services.assets.overdue import OverdueFiles
from abtest.services.jobs import OverdueJobs
from abtest.services.sweep import Sweep
from abtest.services.webhooks.overdue import OverdueWebhooks
from abtest.storefront import bundle
from abtest.wiring.handler import Handler
from abtest.wiring.settings import settings
from abtest.wiring.webhook_queue import webhook_notifications
from abtest.wiring.worlds import world_of


def create_handler() -> Handler:
    """Return the handler of the schedule. Raises MissingSettingError."""
    aws.serve(CallerKind.SCHEDULE)
    config = settings()
    config.need("catalog_table", "ephemeral_table", "ledger_bucket", "delivery_bucket", "publish_queue_url")
    config.need("export_queue_url", "refresh_queue_url", "page_queue_url", "profile_queue_url")
    config.need("deliveries_table", "assets_bucket")
    # The outbox holds no bodies, and jobs and assets are small: the bucket of bodies is not among the resources here.
    world = world_of(config)
    queues: dict[JobType, Queue] = {
        "export": SqsQueue(config.export_queue_url),
        "refresh": SqsQueue(config.refresh_queue_url),
        "page_check": SqsQueue(config.page_queue_url),
        "store_profile": SqsQueue(config.profile_queue_url),
        "brand_excerpts": SqsQueue(config.profile_queue_url),
        # Runs that are left when a deployment gives its browser up end without one.
        "qa_run": SqsQueue(config.screenshot_queue_url or config.page_queue_url),
    }
    if config.screenshot_queue_url:
        queues["screenshot"] = SqsQueue(config.screenshot_queue_url)
    use = Sweep(
        world=world,
        leases=DynamoLeases(config.ephemeral_table),
        ledger=S3Blobs(config.ledger_bucket),
        delivery=S3Blobs(config.delivery_bucket),
        bundle=bundle,
        publish_queue=SqsQueue(config.publish_queue_url),
        event_queue=SqsQueue(config.event_queue_url) if config.event_queue_url else None,
        jobs=OverdueJobs(world, queues),
        files=OverdueFiles(world, S3AssetFiles(config.assets_bucket)),
        webhooks=OverdueWebhooks(
            world=world,
            store=DynamoDeliveryStore(config.deliveries_table),
            notifier=webhook_notifications(config),
            metrics=EmbeddedMetrics(config.aws_lambda_function_name, world.clock),
        ),
    )

    def handler(_event: Any, _context: Any) -> Any:
        swept = use.run()
        return {"skipped": "another run is at it"} if swept is None else asdict(swept)

    return handler
