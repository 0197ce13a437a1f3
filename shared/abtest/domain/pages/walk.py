"""The values of a spec one by one, with the path that an error names."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass


def parts(part: object, at: str = "spec") -> Iterator[tuple[str, object]]:
    """Yield each value of a spec with its path, in the order of the page; outer values come before inner ones."""
    yield at, part
    if isinstance(part, tuple):
        for place, item in enumerate(part):
            yield from parts(item, f"{at}[{place}]")
    elif is_dataclass(part):
        for each in fields(part):
            yield from parts(getattr(part, each.name), f"{at}.{each.name}")
