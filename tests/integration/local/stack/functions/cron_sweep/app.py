"""Returns its input; fails when that says so."""

from typing import Any


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Echo."""
    return {"swept": event["depth"]}
