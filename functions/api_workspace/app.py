"""Entry point of the workspace family."""

from abtest.wiring.api import family
from abtest.wiring.api_workspace import workspace_uses
from api_workspace.routes import ROUTERS

handler = family(ROUTERS, workspace_uses)
