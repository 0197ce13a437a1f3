"""Overview of a shop: everything that runs, at a number of reads that does not grow with it."""

from abtest.services.overview.reading import OverviewReading

__all__ = ["OverviewReading"]
