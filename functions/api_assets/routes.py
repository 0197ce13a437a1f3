"""Routes of the family, one module per resource."""

from api_assets.endpoints.assets import router as assets
from api_assets.endpoints.screenshots import router as screenshots

ROUTERS = (assets, screenshots)
