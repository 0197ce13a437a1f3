"""Is this JavaScript that shoppers' browsers read? Asked before a script is stored and again before it is delivered."""

from dataclasses import dataclass
from typing import Protocol

ACCEPTED_YEAR = 2024
"""The ECMAScript edition of scripts: what every browser of the last years reads."""

SHARED_YEAR = 2020
"""The edition of the SDK itself. A script that needs a later one never stands in one file with anything else."""

RULES = f"{ACCEPTED_YEAR}-{SHARED_YEAR}-1"
"""Names these rules and their parsers; raise the last number when a parser finds what it did not find before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptError:
    """Why a script is refused. `line` and `column` count from 1, columns in UTF-16 units; None where not known."""

    message: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return self.message if self.line is None else f"line {self.line}, column {self.column}: {self.message}"


class ScriptChecker(Protocol):
    """Parses scripts as a browser would, and runs none. A script is the body of a function: `return` is right."""

    def check(self, source: str) -> ScriptError | None:
        """The first error of a script by the accepted edition, or None."""
        ...

    def parses(self, source: str) -> bool:
        """Whether a text parses by any edition: fifty times faster than `check`, for rewritings of what was checked."""
        ...

    def is_young(self, source: str) -> bool:
        """Whether a script without errors is one for browsers that are younger than the SDK asks for."""
        ...
