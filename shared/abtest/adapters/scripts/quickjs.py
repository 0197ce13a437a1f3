"""Syntax checks by QuickJS, which compiles scripts as function bodies and never runs them, and then by a grammar.

The engine parses a whole text before it runs any of it, so with a `throw` in front nothing else is run. A body that
closes its function (`} evil(); {`) passes this check, but not the grammar. Both must accept a script, because it is
unlikely that two parsers have the same defect.
"""

import re
from collections.abc import Callable
from hashlib import sha256
from threading import Lock
from typing import NamedTuple

from abtest.adapters.scripts.grammar import TOO_DEEP, Refusal, refusal
from abtest.ports.scripts import ACCEPTED_YEAR, SHARED_YEAR, ScriptError

_MEMORY_BYTES = 256 << 20
_LINES_BEFORE_BODY = 1
_COMPILE = """body => {
  try { (0, eval)("throw 73501;(function(){\\n" + body + "\\n})") }
  catch (error) { return error === 73501 ? null : error + "\\n" + error.stack }
}"""
_PLACE = re.compile(r"\n    at <input>:(\d+):(\d+)")
_LINE_END = re.compile("\r\n|[\n\r\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LOOKBEHIND = re.compile(r"\(\?<[=!]")
"""Syntax of 2018 that fails the whole file in Safari before 16.4, which supports the rest of the SDK's edition."""

_NEWEST_YEAR = 2026
_VERDICTS = 4096


class _Verdict(NamedTuple):
    error: ScriptError | None
    is_young: bool


class QuickJsChecker:
    """ScriptChecker with a cache of verdicts. The engine is loaded with the first script, in 20 ms."""

    _verdicts: dict[bytes, _Verdict] = {}  # noqa: RUF012 - one cache for the whole process
    _lock = Lock()

    def check(self, source: str) -> ScriptError | None:
        return self._verdict(source).error

    def parses(self, source: str) -> bool:
        return _compile_error(source) is None

    def is_young(self, source: str) -> bool:
        return self._verdict(source).is_young

    def _verdict(self, source: str) -> _Verdict:
        name = sha256(source.encode("utf-8", "surrogatepass")).digest()
        known = self._verdicts.get(name)
        if known is None:
            # Without the lock, because a check may take seconds. Two threads may check one script, which is harmless.
            known = _judged(source)
            with self._lock:
                if len(self._verdicts) >= _VERDICTS:
                    self._verdicts.clear()
                self._verdicts[name] = known
        return known


def _judged(source: str) -> _Verdict:
    if lone := _SURROGATE.search(source):
        return _Verdict(_at(source, lone.start(), "half of a surrogate pair cannot be written to a file"), False)
    error = _compile_error(source)
    if error is not None:
        # The engine does not report the place of some errors, such as those of regular expressions; the grammar does.
        if not error.line and (refused := refusal(source, ACCEPTED_YEAR)) is not None:
            error = _refused(source, refused)
        return _Verdict(error, False)
    if refusal(source, SHARED_YEAR) is None:
        return _Verdict(None, _LOOKBEHIND.search(source) is not None)
    refused = refusal(source, ACCEPTED_YEAR)
    return _Verdict(refused and _refused(source, refused), True)


def _compile_error(source: str) -> ScriptError | None:
    message = _compiler()(source)
    return None if message is None else _error(source, message)


def _refused(source: str, refused: Refusal) -> ScriptError:
    reason = refused.message
    if refusal(source, _NEWEST_YEAR) is None:
        reason += f": browsers that support ECMAScript {ACCEPTED_YEAR} do not support this yet"
    if not refused.line:
        return ScriptError(message=reason)
    if refused.line > len(_LINE_END.split(source)):
        return _at(source, len(source), "unexpected end of script")
    return ScriptError(message=reason, line=refused.line, column=refused.column)


def _compiler() -> Callable[[str], str | None]:
    """Return a function, in a new context, from a body to the engine's message or None when it compiles."""
    import quickjs

    context = quickjs.Context()
    context.set_memory_limit(_MEMORY_BYTES)
    compile_body: Callable[[str], str | None] = context.eval(_COMPILE)
    return compile_body


def _error(source: str, message: str) -> ScriptError:
    reason = message.partition("\n")[0].removeprefix("SyntaxError: ")
    if reason.startswith("RangeError"):
        reason = TOO_DEEP
    place = _PLACE.search(message)
    if place is None:
        return ScriptError(message=reason)
    line, byte_column = int(place[1]) - _LINES_BEFORE_BODY, int(place[2])
    lines = _LINE_END.split(source)
    if line > len(lines):
        return _at(source, len(source), "unexpected end of script")
    # The engine counts columns in bytes; editors and the grammar count UTF-16 units.
    before = lines[line - 1].encode()[: byte_column - 1].decode(errors="ignore")
    return ScriptError(message=reason, line=line, column=_units(before) + 1)


def _at(source: str, index: int, message: str) -> ScriptError:
    before = _LINE_END.split(source[:index])
    return ScriptError(message=message, line=len(before), column=_units(before[-1]) + 1)


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
