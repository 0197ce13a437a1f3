"""How settings whose fields are valid, but do not go together, are refused: all of it at once, each with its path."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from abtest.kit.errors import FieldError, ValidationFailedError


def refuse(message: str, found: Iterable[FieldError]) -> None:
    """Raise ValidationFailedError when anything was found."""
    fields = list(found)
    if fields:
        raise ValidationFailedError(message, fields=fields)


@dataclass(slots=True)
class Positions:
    """Where each value was seen first."""

    _seen: dict[str, str] = field(default_factory=dict)

    def repeated(self, value: str, path: str) -> Iterator[FieldError]:
        """The refusal of a value that was seen before; nothing for a new one."""
        first = self._seen.setdefault(value, path)
        if first != path:
            yield FieldError(path, f"is the same as {first}")
