"""Is this JavaScript? Asked before a customer's script is stored and again before it reaches shoppers."""

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptError:
    """Why a script is refused. `line` and `column` count from 1, columns in UTF-16 units; None where not known."""

    message: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return self.message if self.line is None else f"line {self.line}, column {self.column}: {self.message}"


class ScriptChecker(Protocol):
    """Parses scripts as a browser would and runs none of them."""

    def check(self, source: str) -> ScriptError | None:
        """The first error of a script that is to be the body of a function (so `return` is allowed), or None."""
        ...
