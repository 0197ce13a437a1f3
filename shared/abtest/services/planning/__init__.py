"""Planning tests: stated plans, plans computed where a measurement begins, the sample size calculator."""

from abtest.services.planning.planner import Planner as Planner
from abtest.services.planning.sizing import SampleSizes as SampleSizes
from abtest.services.planning.stating import Plans as Plans
