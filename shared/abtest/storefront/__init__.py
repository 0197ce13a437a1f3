"""Storefront SDK: JavaScript source, its build, and the committed bundle, from which snippets are cut."""

import re
from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from json import dumps, loads

_MARK = re.compile(r"/\*(/?)([a-z_|]+)\*/")


@cache
def parts() -> Mapping[str, frozenset[str]]:
    """Return the parts of the bundle by name, in its order, each with all parts that it requires."""
    required: dict[str, frozenset[str]] = {}
    for name, part in loads(packaged("parts.json")).items():  # a part follows those that it requires
        required[name] = frozenset(part["requires"]).union(*(required[each] for each in part["requires"]))
    return required


def bundle(requested: Collection[str] | None = None) -> str:
    """Return the bundle: one JavaScript expression that evaluates to `start(config, scripts)`.

    It has the requested parts and those that they require; by default all. Unknown names are ignored. It may have a few
    parts more: for common sets of parts there are bundles that are smaller than what is cut for less.
    """
    known = parts()
    requested_parts = set(known).intersection(known if requested is None else requested)
    names = requested_parts.union(*(known[name] for name in requested_parts))
    return min([bundle_of(frozenset(names)), *(code for held, code in _sets() if names <= held)], key=len)


def pixel() -> str:
    """Return the pixel of external domains: one JavaScript expression that evaluates to `start(config, scripts)`."""
    return packaged("dist/pixel.js")


def bridge() -> str:
    """Return the bridge of previewed pages: one JavaScript expression that evaluates to `start(preview)`."""
    return packaged("dist/bridge.js")


def qa_tool() -> str:
    """Return the tool of previews and QA: one JavaScript expression that evaluates to `show(outcome, functions)`."""
    return packaged("dist/qa.js")


def bar() -> str:
    """Return the script of the bar that the tool shows."""
    return f"{packaged('dist/bar.js')}();\n"


def editor() -> str:
    """Return the part of the visual editor that runs in the shop's page, for a page in a frame."""
    return f"{packaged('dist/editor.js')}();\n"


def live_editor(console_origin: str) -> str:
    """Return the same for a page in a window that the console opened: it speaks to that origin only.

    Without an origin, the snippet gets the page back.
    """
    if not console_origin:
        return "document.currentScript.onerror();\n"
    return f"{packaged('dist/editor.js')}(window.opener,{dumps(console_origin)});\n"


@cache
def _sets() -> list[tuple[frozenset[str], str]]:
    return [(frozenset(each["parts"]), each["code"]) for each in loads(packaged("dist/sets.json"))]


@lru_cache(maxsize=64)
def bundle_of(names: frozenset[str]) -> str:
    """Return the bundle with exactly these parts, without marks."""
    first, *marked = _MARK.split(packaged("dist/sdk.js"))
    kept = [first]
    depth = 0  # marks can be nested; above 0 the text belongs to a part that is left out
    for closing, name, text in zip(marked[::3], marked[1::3], marked[2::3], strict=True):
        if names.isdisjoint(name.split("|")):
            depth += -1 if closing else 1
        if not depth:
            kept.append(text)
    return "".join(kept)


@cache
def packaged(path: str) -> str:
    """Return the text of a packaged file."""
    return files(__name__).joinpath(*path.split("/")).read_text(encoding="utf-8")
