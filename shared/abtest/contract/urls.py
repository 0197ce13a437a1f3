"""URLs in requests."""

from typing import Annotated

from ada_url import URL
from pydantic import AfterValidator, Field, WithJsonSchema
from pydantic_core import PydanticCustomError


def web_url(text: str) -> str:
    """Return the address unchanged. Raises PydanticCustomError."""
    try:
        url = URL(text)
    except ValueError:
        url = None
    # The parser also accepts addresses without slashes or with backslashes.
    has_slashes = text[:8].lower().startswith(("http://", "https://"))
    if url is None or not has_slashes or not url.hostname or url.username or url.password:
        raise PydanticCustomError("web_url", "must be an absolute http or https address without credentials")
    return text


WebUrl = Annotated[
    str,
    Field(max_length=2048),
    AfterValidator(web_url),
    WithJsonSchema({"type": "string", "format": "uri", "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://", "maxLength": 2048}),
]
"""An absolute http(s) address, stored as written."""
