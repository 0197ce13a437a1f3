"""Routes of the family, one module per resource."""

from api_pages.endpoints.briefs import router as briefs

ROUTERS = (briefs,)
