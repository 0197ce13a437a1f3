"""Syntax checks by the grammar of one ECMAScript edition, with the parser acorn running in QuickJS.

QuickJS itself accepts newer syntax than shoppers' browsers do. storefront/parser builds parser.js.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from abtest.kit import canonical_json

_STACK_BYTES = 12 << 20
"""Enough for brackets nested 900 deep; browsers fail between 1,000 and 2,000."""

_THREAD_BYTES = _STACK_BYTES + (4 << 20)
_MEMORY_BYTES = 384 << 20
_CPU_SECONDS = 20


class Refusal(NamedTuple):
    """Syntax error of the parser. Line and column count from 1, columns in UTF-16 units; 0 where unknown."""

    message: str
    line: int
    column: int


TOO_DEEP = "nested too deeply for the browsers of some visitors; split the expression, or store parts in variables"
_OUT_OF_STACK = "Not enough stack space to parse input"


def refusal(body: str, year: int) -> Refusal | None:
    """Return the first error of a function body in the edition of that year, or None. Takes about 2 s per megabyte."""
    import quickjs

    def parse() -> Refusal | None:
        try:
            error = _first_error()(body, year)
        except quickjs.JSException:  # out of stack, memory or time
            _first_error.cache_clear()  # the engine may be in an invalid state, so the next call makes a new one
            return Refusal(TOO_DEEP, 0, 0)
        if error is None:
            return None
        refused = Refusal(*canonical_json.loads(error.json()))
        return refused._replace(message=TOO_DEEP) if refused.message == _OUT_OF_STACK else refused

    return _thread().submit(parse).result()


@cache
def _first_error() -> Callable[[str, int], Any]:
    """Return the parser's function. Making its engine takes 12 ms, parsing a small script 1 ms."""
    import quickjs

    context = quickjs.Context()
    context.set_max_stack_size(_STACK_BYTES)
    context.set_memory_limit(_MEMORY_BYTES)
    context.set_time_limit(_CPU_SECONDS)
    context.eval(_parser())
    first_error: Callable[[str, int], Any] = context.get("firstError")
    return first_error


@cache
def _parser() -> str:
    return files(__package__).joinpath("parser.js").read_text(encoding="utf-8")


@cache
def _thread() -> ThreadPoolExecutor:
    """Return the executor with the one thread that has enough stack for a recursive parser."""
    executor = ThreadPoolExecutor(1, thread_name_prefix="grammar")
    # The stack size applies to threads that are started from now on, so a task starts the thread before it is reset.
    usual = threading.stack_size(_THREAD_BYTES)
    try:
        executor.submit(_parser).result()
    finally:
        threading.stack_size(usual)
    return executor
