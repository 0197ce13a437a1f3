"""Callers of the routes of runtime settings."""

from typing import Annotated

from abtest.http.deps import Caller, require

SettingsReader = Annotated[Caller, require("settings:read")]
SettingsWriter = Annotated[Caller, require("settings:write")]
