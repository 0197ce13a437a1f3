"""Routes of the family, one module per resource. Fixed paths come before paths with an id in the same place."""

from api_personalizations.endpoints.experiences import router as experiences
from api_personalizations.endpoints.lifecycle import router as lifecycle
from api_personalizations.endpoints.personalizations import router as personalizations
from api_personalizations.endpoints.previews import router as previews

ROUTERS = (personalizations, lifecycle, experiences, previews)
