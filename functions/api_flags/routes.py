"""Routes of the family, one module per resource. Fixed paths come before paths with a key in the same place."""

from api_flags.endpoints.evaluation import router as evaluation
from api_flags.endpoints.flags import router as flags
from api_flags.endpoints.lifecycle import router as lifecycle
from api_flags.endpoints.previews import router as previews

ROUTERS = (evaluation, flags, lifecycle, previews)
