"""Syntax checks by QuickJS: scripts are compiled as function bodies, never run. Then comes the grammar of an edition.

The engine parses a whole text before it runs any of it, so a `throw` in front makes evaluation a compilation. A body
that closes its function (`} evil(); {`) passes here; the grammar catches it. Both must accept a script: what one of
two parsers lets through by mistake, the other one hardly does.
"""

import re
from collections.abc import Callable
from hashlib import sha256
from threading import Lock
from typing import NamedTuple

from abtest.adapters.scripts.grammar import Refusal, refusal
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
"""Of 2018, and an error of the whole file in Safari before 16.4, which reads all else of the SDK's edition."""

_NEWEST_YEAR = 2026
_VERDICTS = 4096


class _Verdict(NamedTuple):
    error: ScriptError | None
    is_young: bool


class QuickJsChecker:
    """The port ScriptChecker; the engine is loaded with the first script (20 ms), and no script is judged twice."""

    _verdicts: dict[bytes, _Verdict] = {}  # noqa: RUF012 - shared by all, as the process judges for all
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
        return _Verdict(error if error.line else _placed(source, error), False)
    if refusal(source, SHARED_YEAR) is None:
        return _Verdict(None, _LOOKBEHIND.search(source) is not None)
    refused = refusal(source, ACCEPTED_YEAR)
    return _Verdict(refused and _refused(source, refused), True)


def _compile_error(source: str) -> ScriptError | None:
    message = _compiler()(source)
    return None if message is None else _error(source, message)


def _placed(source: str, error: ScriptError) -> ScriptError:
    """An error whose place the engine does not tell, as that of a regular expression; the grammar does."""
    refused = refusal(source, ACCEPTED_YEAR)
    return error if refused is None else _refused(source, refused)


def _refused(source: str, refused: Refusal) -> ScriptError:
    reason = refused.message
    if refusal(source, _NEWEST_YEAR) is None:
        reason += f": browsers of shoppers that know ECMAScript {ACCEPTED_YEAR} do not read this yet"
    if not refused.line:
        return ScriptError(message=reason)
    if refused.line > len(_LINE_END.split(source)):
        return _at(source, len(source), "unexpected end of script")
    return ScriptError(message=reason, line=refused.line, column=refused.column)


def _compiler() -> Callable[[str], str | None]:
    """A function from a body to the engine's message, None when it compiles; a context of its own each time."""
    import quickjs

    context = quickjs.Context()
    context.set_memory_limit(_MEMORY_BYTES)
    compile_body: Callable[[str], str | None] = context.eval(_COMPILE)
    return compile_body


def _error(source: str, message: str) -> ScriptError:
    reason = message.partition("\n")[0].removeprefix("SyntaxError: ")
    if reason.startswith("RangeError"):
        reason = "nested too deeply"
    place = _PLACE.search(message)
    if place is None:
        return ScriptError(message=reason)
    line, byte_column = int(place[1]) - _LINES_BEFORE_BODY, int(place[2])
    lines = _LINE_END.split(source)
    if line > len(lines):
        return _at(source, len(source), "unexpected end of script")
    before = lines[line - 1].encode()[: byte_column - 1].decode(errors="ignore")
    return ScriptError(message=reason, line=line, column=_units(before) + 1)


def _at(source: str, index: int, message: str) -> ScriptError:
    before = _LINE_END.split(source[:index])
    return ScriptError(message=message, line=len(before), column=_units(before[-1]) + 1)


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
