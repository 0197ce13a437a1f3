"""Results: the current roll-up, narrowed to a population and compared. Nothing is counted here."""

from abtest.services.results.experiment_results import Results, ResultsQuery
from abtest.services.results.population import Range
from abtest.services.results.readership import Readership
from abtest.services.results.refreshes import Refreshes
from abtest.services.results.report import ReportReading
from abtest.services.results.segments import SegmentReading
from abtest.services.results.series import SeriesQuery, SeriesReading
from abtest.services.results.snapshots import RollupReader

__all__ = [
    "Range",
    "Readership",
    "Refreshes",
    "ReportReading",
    "Results",
    "ResultsQuery",
    "RollupReader",
    "SegmentReading",
    "SeriesQuery",
    "SeriesReading",
]
