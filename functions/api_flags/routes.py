"""Routes of the family, one module an idea. Fixed addresses come before those with a key in their place."""

from api_flags.endpoints.evaluation import router as evaluation
from api_flags.endpoints.flags import router as flags
from api_flags.endpoints.lifecycle import router as lifecycle

ROUTERS = (evaluation, flags, lifecycle)
