"""Syntax checks by QuickJS: scripts are compiled as function bodies, never run.

The engine parses a whole text before it runs any of it, so a `throw` in front makes evaluation a compilation. A body
that closes its function (`} evil(); {`) would pass: a second compilation catches it. The same name is declared with
`let` before and after the body, which must be a redeclaration, because both stand in one scope unless the body closed
it.
"""

import re
from collections.abc import Callable
from functools import lru_cache

from abtest.ports.scripts import ScriptError

_MEMORY_BYTES = 256 << 20
_LINES_BEFORE_BODY = 1
_COMPILE = """body => {
  try { (0, eval)("throw 73501;(function(){\\n" + body + "\\n})") }
  catch (error) { return error === 73501 ? null : error + "\\n" + error.stack }
}"""
_PLACE = re.compile(r"\n    at <input>:(\d+):(\d+)")
_LINE_END = re.compile("\r\n|[\n\r\u2028\u2029]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NEVER_CLOSED = ScriptError(message="a brace closes more than the script opened")


class QuickJsChecker:
    """The port ScriptChecker; the engine is loaded with the first script (20 ms)."""

    def check(self, source: str) -> ScriptError | None:
        return _check(source)


@lru_cache(maxsize=256)
def _check(source: str) -> ScriptError | None:
    if lone := _SURROGATE.search(source):
        return _at(source, lone.start(), "half of a surrogate pair cannot be written to a file")
    compile_body = _compiler()
    message = compile_body(source)
    if message is not None:
        return _error(source, message)
    marker = _fresh_name(source)
    if compile_body(f"let {marker};\n{source}\n;let {marker};") is None:
        return _NEVER_CLOSED
    return None


def _compiler() -> Callable[[str], str | None]:
    """A function from a body to the engine's message, None when it compiles; a context of its own each time."""
    import quickjs

    context = quickjs.Context()
    context.set_memory_limit(_MEMORY_BYTES)
    compile_body: Callable[[str], str | None] = context.eval(_COMPILE)
    return compile_body


def _fresh_name(source: str) -> str:
    name = "_"
    while name in source:
        name += "_"
    return name


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
