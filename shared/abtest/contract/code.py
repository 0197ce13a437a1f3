"""Code written by customers: its length, and what it must not contain."""

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from abtest.domain.experiments.data_uris import MAX_LENGTH, has_oversized_data_uri

MAX_CODE = 200_000


def without_large_data_uris(code: str) -> str:
    """Return the code unchanged. Raises PydanticCustomError for an oversized data URI."""
    if has_oversized_data_uri(code):
        raise PydanticCustomError(
            "inline_data_uri_too_large",
            "must not contain a data URI of more than {limit} characters; refer to the image by its address",
            {"limit": MAX_LENGTH},
        )
    return code


Code = Annotated[str, Field(max_length=MAX_CODE), AfterValidator(without_large_data_uris)]
"""JavaScript or CSS of at most 200,000 characters, without data URIs of more than 4,096."""
