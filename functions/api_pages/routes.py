"""Routes of the family, one module per resource."""

from api_pages.endpoints.briefs import router as briefs
from api_pages.endpoints.experiments import router as experiments
from api_pages.endpoints.pages import router as pages
from api_pages.endpoints.previews import router as previews
from api_pages.endpoints.publishes import router as publishes
from api_pages.endpoints.qa_runs import router as qa_runs
from api_pages.endpoints.versions import router as versions

ROUTERS = (pages, versions, previews, qa_runs, publishes, experiments, briefs)
