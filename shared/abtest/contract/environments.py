"""Names of runtime environments."""

from typing import Annotated

from pydantic import Field

EnvironmentKey = Annotated[str, Field(pattern="^[a-z0-9_-]{1,48}$")]
