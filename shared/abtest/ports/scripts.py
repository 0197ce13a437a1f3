"""Syntax check of customers' JavaScript, before a script is stored and again before it is delivered."""

from dataclasses import dataclass
from typing import Protocol

ACCEPTED_YEAR = 2024
"""ECMAScript edition that scripts may use, which every browser of recent years supports."""

SHARED_YEAR = 2020
"""ECMAScript edition of the SDK. A script that needs a later one is delivered in a file of its own."""

RULES = f"{ACCEPTED_YEAR}-{SHARED_YEAR}-1"
"""Version of these rules and their parsers. Raise the last number when a parser reports other errors than before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptError:
    """Error in a script. `line` and `column` count from 1, columns in UTF-16 code units; None where unknown."""

    message: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return self.message if self.line is None else f"line {self.line}, column {self.column}: {self.message}"


class ScriptChecker(Protocol):
    """Parser of scripts, which never runs them. A script is the body of a function, so it may contain `return`."""

    def check(self, source: str) -> ScriptError | None:
        """Return the first syntax error of a script in the accepted edition, or None."""
        ...

    def parses(self, source: str) -> bool:
        """Return whether a text parses in any edition.

        Fifty times faster than `check`; for scripts that were checked and then rewritten.
        """
        ...

    def is_young(self, source: str) -> bool:
        """Return whether a script without errors needs a later edition than the SDK."""
        ...
