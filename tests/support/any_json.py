"""JSON of whatever shape a test needs, right or wrong, where the code under test names a shape."""

from typing import Any


def any_json(value: object) -> Any:
    """Return the value without the type that was inferred for it."""
    return value
