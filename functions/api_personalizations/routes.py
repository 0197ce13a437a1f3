"""Routes of the family, one module an idea. Fixed addresses come before those with an id in their place."""

from api_personalizations.endpoints.experiences import router as experiences
from api_personalizations.endpoints.lifecycle import router as lifecycle
from api_personalizations.endpoints.personalizations import router as personalizations

ROUTERS = (personalizations, lifecycle, experiences)
