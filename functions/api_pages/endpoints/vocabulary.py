"""Callers of the routes of landing pages."""

from typing import Annotated

from abtest.http.deps import Caller, require

Reader = Annotated[Caller, require("landing_pages:read")]
Writer = Annotated[Caller, require("landing_pages:write")]
