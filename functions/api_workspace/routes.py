"""Routes of the family, one module per resource."""

from api_workspace.endpoints.audit import router as audit
from api_workspace.endpoints.files import router as files
from api_workspace.endpoints.ideas import router as ideas
from api_workspace.endpoints.inbox import router as inbox
from api_workspace.endpoints.store_profile import router as store_profile

ROUTERS = (
    files,
    ideas,
    audit,
    inbox,
    store_profile,
)
