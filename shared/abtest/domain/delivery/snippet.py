"""The install snippet: the SDK called with the config and the customers' scripts as real functions."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from abtest.domain.delivery.parts import Config
from abtest.domain.delivery.scripts import UnsafeScriptError, as_function
from abtest.kit import canonical_json

Check = Callable[[str], str | None]
"""Why a script does not parse, or None when it does."""

_SCRIPT_FIELDS = {"js": "JS", "reset_js": "reset JS"}
_WITH_SCRIPTS = ("experiments", "personalizations", "experiences", "variations", "blocks")
"""Lists of parts that hold scripts; nothing below any other field is looked at, be it named like a script or not."""
_PROTOTYPE = re.compile(r'(?<=[{,])"__proto__":')
_ESCAPES = {"<": "\\u003c", "\u2028": "\\u2028", "\u2029": "\\u2029"}


def without_broken_scripts(parts: Iterable[Config], check: Check) -> tuple[list[Config], list[str]]:
    """Parts of a config without scripts that do not parse or cannot be embedded, and for each the reason.

    The rest of an experiment with a broken script is delivered: the script would have thrown in the browser as well.
    """
    reasons: list[str] = []

    def kept(place: str, name: str, source: str) -> bool:
        problem = problem_of(source, check)
        if problem is not None:
            reasons.append(f"{place}: {_SCRIPT_FIELDS[name]} is left out: {problem}")
        return problem is None

    return [_filtered(part, _place(part), kept) for part in parts], reasons


def render_snippet(config: Config, bundle: str, check: Check) -> str:
    """JavaScript text `<bundle>(<config>,[function(){…},…]);`, ASCII-safe where HTML or old engines would stumble.

    `bundle` is an expression that evaluates to a function. The scripts of `config` must parse.
    """
    positions: dict[str, int] = {}
    indexed = _indexed(config, positions)
    functions = ",".join(as_function(source, lambda text: check(text) is None) for source in positions)
    return f"{bundle.strip().removesuffix(';')}({_literal(indexed)},[{functions}]);\n"


def _literal(config: Config) -> str:
    """JSON as a JavaScript expression. A key `__proto__` would set a prototype, hence its computed form.

    A key follows a brace or a comma; a quote inside a text follows a backslash.
    """
    text = canonical_json.encode(config).decode()
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return _PROTOTYPE.sub('["__proto__"]:', text)


def problem_of(source: Any, check: Check) -> str | None:
    """Why a script cannot be delivered, or None: it does not parse, or nothing makes it safe inside a page."""
    if not isinstance(source, str):  # what was stored may be of any form
        return "is no text"
    problem = check(source)
    if problem is not None:
        return problem
    try:
        as_function(source, lambda text: check(text) is None)
    except UnsafeScriptError as error:
        return str(error)
    return None


def _filtered(part: Config, place: str, kept: Callable[[str, str, str], bool]) -> Config:
    whole = {name: value for name, value in part.items() if name not in _SCRIPT_FIELDS or kept(place, name, value)}
    for name in filter(whole.__contains__, _WITH_SCRIPTS):
        whole[name] = [
            _filtered(child, f"{place} / {_place(child, index)}", kept) for index, child in enumerate(whole[name])
        ]
    return whole


def _place(part: Config, index: int = 0) -> str:
    return f"{part['name']!r}" if "name" in part else f"block {index + 1}"


def _indexed(part: Any, positions: dict[str, int]) -> Any:
    """The config with each script replaced by its position; the same text appears once."""
    if not isinstance(part, dict):
        return part
    return dict(_indexed_fields(part, positions))


def _indexed_fields(part: Config, positions: dict[str, int]) -> Iterator[tuple[str, Any]]:
    for name, value in part.items():
        if name in _SCRIPT_FIELDS:
            yield name, positions.setdefault(value, len(positions))
        elif name in _WITH_SCRIPTS:
            yield name, [_indexed(child, positions) for child in value]
        else:
            yield name, value
