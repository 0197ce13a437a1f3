"""Routes of the family, one module an idea."""

from api_settings.endpoints.keys import router as keys
from api_settings.endpoints.meta import router as meta
from api_settings.endpoints.shops import router as shops

ROUTERS = (meta, shops, keys)
