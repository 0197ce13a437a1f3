"""Entry point of the experiments family."""

from abtest.wiring.api import family
from abtest.wiring.api_experiments import experiments_uses
from api_experiments.routes import ROUTERS

handler = family(ROUTERS, experiments_uses)
