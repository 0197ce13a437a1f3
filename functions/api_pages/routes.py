"""Routes of the family, one module per resource."""

from api_pages.endpoints.briefs import router as briefs
from api_pages.endpoints.pages import router as pages

ROUTERS = (pages, briefs)
