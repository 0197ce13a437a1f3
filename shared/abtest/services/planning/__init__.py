"""Planning of tests: plans computed where a measurement begins, and the sample size calculator."""

from abtest.services.planning.planner import Planner as Planner
from abtest.services.planning.sample_sizes import SampleSizes as SampleSizes
