"""Answers every path with the path."""

from typing import Any


def handler(event: dict[str, Any], _context: object) -> str:
    """Echo method, path and host."""
    http = event["requestContext"]["http"]
    return f"{http['method']} {event['rawPath']} {event['headers'].get('host', '')}"
