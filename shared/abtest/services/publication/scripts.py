"""Syntax checks of customers' scripts, remembered: most scripts are in many publications unchanged."""

from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import sha256

from abtest.ports.scripts import ScriptChecker

_MOST = 4096


@dataclass(frozen=True, slots=True)
class RememberedChecks:
    """What the checker said of the last few thousand scripts, by their hashes."""

    checker: ScriptChecker
    _found: OrderedDict[bytes, str | None] = field(default_factory=OrderedDict, repr=False)

    def problem(self, source: str) -> str | None:
        """Why the script does not parse, or None when it does."""
        digest = sha256(source.encode("utf-8", "surrogatepass")).digest()
        if digest not in self._found:
            error = self.checker.check(source)
            self._found[digest] = None if error is None else str(error)
            if len(self._found) > _MOST:
                self._found.popitem(last=False)
        return self._found[digest]
