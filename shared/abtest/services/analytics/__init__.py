"""Analytics of a shop: days, figures by a dimension, the funnel, the holdout, the program. Nothing is counted here."""

from abtest.services.analytics.figures import Figures, FiguresQuery
from abtest.services.analytics.funnel import FunnelReading
from abtest.services.analytics.holdout import HoldoutReading
from abtest.services.analytics.periods import PeriodQuery
from abtest.services.analytics.program import ProgramReading
from abtest.services.analytics.stats import Stats, StatsQuery

__all__ = [
    "Figures",
    "FiguresQuery",
    "FunnelReading",
    "HoldoutReading",
    "PeriodQuery",
    "ProgramReading",
    "Stats",
    "StatsQuery",
]
