"""Refusal of settings whose fields are valid but contradict each other: all problems at once, each with its path."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from abtest.kit.errors import FieldError, ValidationFailedError


def refuse(message: str, problems: Iterable[FieldError]) -> None:
    """Raise ValidationFailedError when there are problems."""
    fields = list(problems)
    if fields:
        raise ValidationFailedError(message, fields=fields)


@dataclass(slots=True)
class Positions:
    """Path at which each value was seen first."""

    _seen: dict[str, str] = field(default_factory=dict)

    def repeated(self, value: str, path: str) -> Iterator[FieldError]:
        """Yield the problem of a value that was seen before; nothing for a new one."""
        first = self._seen.setdefault(value, path)
        if first != path:
            yield FieldError(path, f"must differ from {first}")
