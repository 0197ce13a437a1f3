"""Syntax checks by the grammar of one ECMAScript edition: acorn, run by the engine that is here anyway.

The engine alone reads what shoppers' browsers do not yet read, and no browser can be asked. Built by storefront/parser.
"""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from abtest.kit import canonical_json

_STACK_BYTES = 12 << 20
"""Brackets nested 900 deep; browsers give up between 1,000 and 2,000."""

_THREAD_BYTES = _STACK_BYTES + (4 << 20)
_MEMORY_BYTES = 384 << 20
_CPU_SECONDS = 20


class Refusal(NamedTuple):
    """What the parser says; line and column count from 1, columns in UTF-16 units, 0 where not known."""

    message: str
    line: int
    column: int


TOO_DEEP = Refusal("nested too deeply", 0, 0)


def refusal(body: str, year: int) -> Refusal | None:
    """Why a text is no body of a function by the edition of that year, or None. About 2 s a megabyte."""
    return _thread().submit(_refusal, body, year).result()


def _refusal(body: str, year: int) -> Refusal | None:
    """Runs in the one thread that has the stack for it."""
    import quickjs

    try:
        found = _first_error()(body, year)
    except quickjs.JSException:  # out of stack, memory or time
        _first_error.cache_clear()  # nobody knows what is left of the engine
        return TOO_DEEP
    return None if found is None else Refusal(*canonical_json.loads(found.json()))


@cache
def _first_error() -> Callable[[str, int], Any]:
    """The parser's function; an engine with the parser in it takes 12 ms to make, a small script 1 ms to parse."""
    import quickjs

    context = quickjs.Context()
    context.set_max_stack_size(_STACK_BYTES)
    context.set_memory_limit(_MEMORY_BYTES)
    context.set_time_limit(_CPU_SECONDS)
    context.eval(_parser())
    found: Callable[[str, int], Any] = context.get("firstError")
    return found


@cache
def _parser() -> str:
    return files(__package__).joinpath("parser.js").read_text(encoding="utf-8")


@cache
def _thread() -> ThreadPoolExecutor:
    """A parser descends: it needs more stack than threads are given, and only a new thread can be given more."""
    executor = ThreadPoolExecutor(1, thread_name_prefix="grammar")
    usual = threading.stack_size(_THREAD_BYTES)
    try:
        executor.submit(_parser).result()
    finally:
        threading.stack_size(usual)
    return executor
