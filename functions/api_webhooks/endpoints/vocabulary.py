"""Callers of the webhook routes."""

from typing import Annotated

from abtest.http.deps import Caller, require

Reader = Annotated[Caller, require("webhooks:read")]
Writer = Annotated[Caller, require("webhooks:write")]
