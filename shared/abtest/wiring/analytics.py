"""Composition of results and analytics over roll-ups, the looks at them, and the queue of those who count at once."""

from abtest.ports.looks import LookStore
from abtest.ports.queue import Queue
from abtest.ports.rollup_store import RollupStore
from abtest.services.analytics import Figures, FunnelReading, HoldoutReading, ProgramReading, Stats
from abtest.services.context import World
from abtest.services.guardian import HealthReading
from abtest.services.jobs import Jobs
from abtest.services.planning import SampleSizes
from abtest.services.results import Refreshes, ReportReading, Results, RollupReader, SegmentReading, SeriesReading


def analytics_of(world: World, store: RollupStore, looks: LookStore, refreshes: Queue) -> dict[type, object]:
    """The use cases that the family's routers ask for."""
    reader = RollupReader(store)
    return {
        Results: Results(world, reader, looks),
        ReportReading: ReportReading(world, reader, looks),
        SeriesReading: SeriesReading(world, reader),
        SegmentReading: SegmentReading(world, reader),
        Stats: Stats(world, reader),
        Figures: Figures(world, reader),
        FunnelReading: FunnelReading(world, store),
        HoldoutReading: HoldoutReading(world, reader),
        ProgramReading: ProgramReading(world),
        SampleSizes: SampleSizes(world),
        HealthReading: HealthReading(world),
        Refreshes: Refreshes(world, Jobs(world, "refresh", refreshes)),
    }
