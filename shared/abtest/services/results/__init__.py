"""Results: the roll-up that stands, narrowed and compared. Nothing is counted here."""

from abtest.services.results.narrowing import Range
from abtest.services.results.reading import RollupReader
from abtest.services.results.refreshing import Refreshes
from abtest.services.results.report import ReportReading
from abtest.services.results.segments import SegmentReading
from abtest.services.results.series import SeriesReading, SeriesWish
from abtest.services.results.whole import Results, Wish

__all__ = [
    "Range",
    "Refreshes",
    "ReportReading",
    "Results",
    "RollupReader",
    "SegmentReading",
    "SeriesReading",
    "SeriesWish",
    "Wish",
]
