"""Composition roots of the schedules, one function a cron."""

from collections.abc import Callable
from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from abtest.kit.clock import SystemClock
from abtest.wiring.settings import settings
from abtest.wiring.warehouses import counter_of

if TYPE_CHECKING:
    from abtest.services.experiments.store import ExperimentStore
    from abtest.services.rollups import RollupRun

Handler = Callable[[Any, Any], Any]

AUTOSTOP_TIME, GUARDIAN_TIME, LAUNCH_TIME = timedelta(minutes=4), timedelta(minutes=12), timedelta(seconds=40)
"""No experiment is begun later: what is begun must end before the function does, after 5 and 14 minutes and 55 s."""


def sweep() -> Handler:
    """The handler of cron_sweep. Raises MissingSettingError."""
    from abtest.adapters.dynamo import DynamoLeases
    from abtest.adapters.s3 import S3Blobs
    from abtest.adapters.sqs import SqsQueue
    from abtest.services.jobs import OverdueJobs
    from abtest.services.sweep import Sweep
    from abtest.storefront import bundle
    from abtest.wiring.webhooks import overdue_webhooks
    from abtest.wiring.worlds import world_of

    found = settings()
    found.need("catalog_table", "ephemeral_table", "ledger_bucket", "delivery_bucket", "publish_queue_url")
    found.need("export_queue_url", "refresh_queue_url")
    # The outbox holds no bodies, and jobs are small, so the bucket of bodies is not among this function's resources.
    world = world_of(found)
    use = Sweep(
        world=world,
        leases=DynamoLeases(found.ephemeral_table),
        ledger=S3Blobs(found.ledger_bucket),
        delivery=S3Blobs(found.delivery_bucket),
        bundle=bundle,
        publish_queue=SqsQueue(found.publish_queue_url),
        event_queue=SqsQueue(found.event_queue_url) if found.event_queue_url else None,
        jobs=OverdueJobs(
            world, {"export": SqsQueue(found.export_queue_url), "refresh": SqsQueue(found.refresh_queue_url)}
        ),
        webhooks=overdue_webhooks(world, found),
    )

    def handler(_event: Any, _context: Any) -> Any:
        swept = use.run()
        return {"skipped": "another run is at it"} if swept is None else asdict(swept)

    return handler


def rollup() -> Handler:
    """The handler of cron_rollup: the schedule's event, or messages of RefreshQueue. Raises MissingSettingError."""
    from abtest.services.rollups import Refreshing, RefreshMessage

    run = rollup_run()
    refreshing = Refreshing(run.world, run)

    def handler(event: Any, _context: Any) -> Any:
        if "Records" in event:
            messages = [RefreshMessage(id=record["messageId"], body=record["body"]) for record in event["Records"]]
            again = refreshing.handle(messages)
            return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in again]}
        tally = run.run()
        return {"skipped": "another run is at it"} if tally is None else asdict(tally)

    return handler


def rollup_run() -> "RollupRun":
    """The use case behind it. Raises MissingSettingError."""
    from abtest.adapters.dynamo import DynamoLeases, DynamoRollupStore
    from abtest.adapters.embedded_metrics import EmbeddedMetrics
    from abtest.adapters.s3 import S3Blobs
    from abtest.services.rollups import RollupRun
    from abtest.wiring.worlds import world_of

    found, clock = settings(), SystemClock()
    found.need("catalog_table", "ephemeral_table", "rollups_table", "blobs_bucket", "ledger_bucket")
    return RollupRun(
        world=world_of(found),
        counter=counter_of(found, S3Blobs(found.ledger_bucket), clock),
        store=DynamoRollupStore(found.rollups_table),
        leases=DynamoLeases(found.ephemeral_table),
        metrics=EmbeddedMetrics(found.aws_lambda_function_name, clock),
    )


def autostop() -> Handler:
    """The handler of cron_autostop. Raises MissingSettingError."""
    from abtest.adapters.dynamo import DynamoLeases, DynamoLookStore, DynamoRollupStore
    from abtest.adapters.embedded_metrics import EmbeddedMetrics
    from abtest.services.autostop import AutoStopRun
    from abtest.services.results import RollupReader

    found, store = settings(), _experiments()
    found.need("ephemeral_table", "rollups_table")
    clock = store.world.clock
    use = AutoStopRun(
        store=store,
        reader=RollupReader(DynamoRollupStore(found.rollups_table)),
        looks=DynamoLookStore(found.rollups_table),
        leases=DynamoLeases(found.ephemeral_table),
        metrics=EmbeddedMetrics(found.aws_lambda_function_name, clock),
    )

    def handler(_event: Any, _context: Any) -> Any:
        return asdict(use.run(until=clock.now() + AUTOSTOP_TIME))

    return handler


def guardian() -> Handler:
    """The handler of cron_guardian. Raises MissingSettingError."""
    from abtest.adapters.dynamo import DynamoLeases, DynamoRollupStore
    from abtest.adapters.embedded_metrics import EmbeddedMetrics
    from abtest.services.guardian import Guardian
    from abtest.services.results import RollupReader

    found, store = settings(), _experiments()
    found.need("ephemeral_table", "rollups_table")
    clock = store.world.clock
    use = Guardian(
        store,
        DynamoLeases(found.ephemeral_table),
        RollupReader(DynamoRollupStore(found.rollups_table)),
        EmbeddedMetrics(found.aws_lambda_function_name, clock),
    )

    def handler(_event: Any, _context: Any) -> Any:
        return asdict(use.run(until=clock.now() + GUARDIAN_TIME))

    return handler


def launch() -> Handler:
    """The handler of cron_launch. Raises MissingSettingError."""
    from abtest.adapters.dynamo import DynamoRollupStore
    from abtest.services.experiments.due import ScheduledActions
    from abtest.services.planning import Planner

    found, store = settings(), _experiments()
    found.need("rollups_table")
    use = ScheduledActions(store, Planner(store.world, DynamoRollupStore(found.rollups_table)))

    def handler(_event: Any, _context: Any) -> Any:
        return use.run(until=store.world.clock.now() + LAUNCH_TIME)

    return handler


def _experiments() -> "ExperimentStore":
    """Experiments as schedules change them: with publication at once. Raises MissingSettingError."""
    from abtest.services.experiments.publishing import Publishing
    from abtest.services.experiments.store import ExperimentStore
    from abtest.services.publication.budget import CodeBudget
    from abtest.wiring.workers import publication

    publisher = publication()
    publishing = Publishing(publisher.world.catalog, publisher)
    return ExperimentStore(publisher.world, publishing, CodeBudget(publisher.blobs))
