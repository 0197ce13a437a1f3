"""Names of runtime environments."""

from typing import Annotated

from abtest.contract.forms import Form

EnvironmentKey = Annotated[
    str, Form("[a-z0-9_-]{1,48}", "have 1 to 48 lower-case letters, digits, hyphens and underscores")
]
