"""Routes of the family, one module per resource. Fixed paths come before paths with an id in the same place."""

from api_experiments.endpoints.audiences import router as audiences
from api_experiments.endpoints.exclusion_groups import router as exclusion_groups
from api_experiments.endpoints.experiments import router as experiments
from api_experiments.endpoints.files import router as files
from api_experiments.endpoints.goals import router as goals
from api_experiments.endpoints.ideas import router as ideas
from api_experiments.endpoints.lifecycle import router as lifecycle
from api_experiments.endpoints.pages import router as pages
from api_experiments.endpoints.plans import router as plans
from api_experiments.endpoints.previews import router as previews
from api_experiments.endpoints.shipping import router as shipping
from api_experiments.endpoints.shop_goals import router as shop_goals
from api_experiments.endpoints.variations import alone
from api_experiments.endpoints.variations import router as variations

ROUTERS = (
    files,
    experiments,
    ideas,
    lifecycle,
    plans,
    shipping,
    variations,
    alone,
    goals,
    shop_goals,
    pages,
    audiences,
    exclusion_groups,
    previews,
)
