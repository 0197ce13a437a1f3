"""Processes that die: ports whose calls end the process before or after they are carried out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


class KilledError(BaseException):
    """The process is gone; nothing in it may catch this."""


@dataclass
class Fate:
    """What befalls a process: at its `at`th call of a port it dies, before or after the call, or something happens.

    `of` counts the calls of that name alone.
    """

    at: int | None = None
    after: bool = False
    happens: Callable[[], object] | None = None
    of: str | None = None
    calls: int = field(default=0, init=False)

    def before_call(self, name: str) -> bool:
        """Count a call; whether the process dies after it."""
        if self.of not in (None, name):
            return False
        self.calls += 1
        if self.calls != self.at:
            return False
        if self.happens is not None:
            self.happens()
            return False
        if not self.after:
            raise KilledError
        return True


class Fated:
    """A port of a process with a fate. `names` has other names for calls that several ports have."""

    def __init__(self, port: Any, fate: Fate, names: Mapping[str, str] | None = None) -> None:
        self._port = port
        self._fate = fate
        self._names = names or {}

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._port, name)
        if not callable(found):
            return found

        def call(*arguments: Any, **named: Any) -> Any:
            dies = self._fate.before_call(self._names.get(name, name))
            answer = found(*arguments, **named)
            if dies:
                raise KilledError
            return answer

        return call
