"""Callers of the routes of landing pages, and the response that several of them have."""

from typing import Annotated

from abtest.http.deps import Caller, require, use
from abtest.services.pages.whole import WholePages

Reader = Annotated[Caller, require("landing_pages:read")]
Writer = Annotated[Caller, require("landing_pages:write")]
Shown = Annotated[WholePages, use(WholePages)]
"""Makes the response of a single page."""
