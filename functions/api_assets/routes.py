"""Routes of the family, one module per resource."""

from api_assets.endpoints.assets import router as assets

ROUTERS = (assets,)
