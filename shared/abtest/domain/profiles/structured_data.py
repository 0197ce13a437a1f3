"""Objects of structured data (JSON-LD) in the script of a page."""

import json
from collections.abc import Iterator, Mapping

MAX_CHARACTERS = 256 * 1024
MAX_WAITING = 400
"""Parts of a value that wait to be looked at, and items of one list that are."""


def objects_in(text: str) -> Iterator[Mapping[str, object]]:
    """Yield the objects with a type, outer ones first; none of a text that is too long, too deep or broken."""
    if len(text) > MAX_CHARACTERS:
        return
    try:
        waiting = [json.loads(text)]
    except (ValueError, RecursionError):
        return
    while waiting:
        item = waiting.pop(0) if len(waiting) < MAX_WAITING else waiting.pop()
        if isinstance(item, list):
            waiting.extend(item[:MAX_WAITING])
        elif isinstance(item, dict):
            if "@type" in item:
                yield item
            waiting.extend(part for part in item.values() if isinstance(part, dict | list))
