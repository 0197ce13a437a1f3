"""Composition root of the analytics family."""

from abtest.adapters.dynamo import DynamoLookStore
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.s3.exports import S3ExportStore
from abtest.adapters.sqs import SqsQueue
from abtest.domain.install.tags import origin_of
from abtest.ports.limits import Sessions
from abtest.ports.looks import LookStore
from abtest.ports.queue import Queue
from abtest.ports.rollup_store import RollupStore
from abtest.services.analytics import Figures, FunnelReading, HoldoutReading, ProgramReading, Stats
from abtest.services.context import World
from abtest.services.exports.requests import Exports
from abtest.services.guardian import HealthReading
from abtest.services.jobs import Jobs
from abtest.services.overview import OverviewReading
from abtest.services.planning import SampleSizes
from abtest.services.quarantine import Quarantined
from abtest.services.results import (
    Readership,
    Refreshes,
    ReportReading,
    Results,
    RollupReader,
    SegmentReading,
    SeriesReading,
)
from abtest.wiring.api import Management, Uses


def analytics_uses(base: Management) -> Uses:
    """Return the use cases of results, analytics and exports. Raises MissingSettingError."""
    settings, world = base.settings, base.world
    settings.need("rollups_table", "refresh_queue_url", "ledger_bucket", "export_queue_url", "assets_base_url")
    origin = origin_of(settings.assets_base_url)
    looks = DynamoLookStore(settings.rollups_table)
    export_jobs = Jobs(world, "export", SqsQueue(settings.export_queue_url))
    return {
        **analytics_of(world, base.rollups, looks, SqsQueue(settings.refresh_queue_url), base.sessions, origin),
        Exports: Exports(world, export_jobs, S3ExportStore(settings.ledger_bucket)),
        Quarantined: Quarantined(S3Blobs(settings.ledger_bucket), world.clock),
    }


def analytics_of(
    world: World,
    store: RollupStore,
    looks: LookStore,
    refreshes: Queue,
    sessions: Sessions,
    assets_origin: str = "",
) -> dict[type, object]:
    """Use cases over roll-ups, the looks at them, the queue of those who count at once, and the origin of pictures.

    `sessions` have the moments when shops were last seen.
    """
    reader = RollupReader(store)
    return {
        Results: Results(world, reader, looks),
        ReportReading: ReportReading(world, reader, looks, assets_origin),
        SeriesReading: SeriesReading(world, reader),
        SegmentReading: SegmentReading(world, reader),
        Stats: Stats(world, reader),
        Figures: Figures(world, reader),
        FunnelReading: FunnelReading(world, store),
        HoldoutReading: HoldoutReading(world, reader),
        ProgramReading: ProgramReading(world),
        OverviewReading: OverviewReading(world, reader, looks, sessions),
        SampleSizes: SampleSizes(world),
        HealthReading: HealthReading(world),
        Readership: Readership(store, world.clock),
        Refreshes: Refreshes(world, Jobs(world, "refresh", refreshes)),
    }
