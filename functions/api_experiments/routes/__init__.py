"""Routes of the family, one module an idea. Fixed addresses come before those with an id in their place."""

from api_experiments.routes.experiments import router as experiments
from api_experiments.routes.goals import router as goals
from api_experiments.routes.lifecycle import router as lifecycle
from api_experiments.routes.shop_goals import router as shop_goals
from api_experiments.routes.variations import alone
from api_experiments.routes.variations import router as variations

ROUTERS = (experiments, lifecycle, variations, alone, goals, shop_goals)
