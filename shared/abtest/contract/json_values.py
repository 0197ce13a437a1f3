"""JSON that customers store with us and get back unchanged, bounded in depth and size."""

from typing import Annotated, Any

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

from abtest.contract.base import shallow
from abtest.kit import canonical_json

MAX_BYTES = 64 * 1024


def small(value: Any) -> Any:
    """Return the value unchanged. Raises PydanticCustomError when its canonical JSON is larger than MAX_BYTES."""
    if len(canonical_json.encode(value)) > MAX_BYTES:
        raise PydanticCustomError("too_large", "is larger than {bytes} bytes as JSON", {"bytes": MAX_BYTES})
    return value


JsonValue = Annotated[Any, AfterValidator(shallow), AfterValidator(small)]
"""Any JSON value, null included: 20 levels deep and 64 KB as canonical JSON at most."""
