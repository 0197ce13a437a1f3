"""The storefront SDK: JavaScript source, its build, and the committed bundle that snippets are made of."""

import re
from collections.abc import Collection, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from json import loads

_MARK = re.compile(r"/\*(/?)([a-z_|]+)\*/")


@cache
def parts() -> Mapping[str, frozenset[str]]:
    """The parts of the bundle by name, in its order: each with all the parts that it cannot do without."""
    required: dict[str, frozenset[str]] = {}
    for name, part in loads(_read("parts.json")).items():  # a part stands behind those that it requires
        required[name] = frozenset(part["requires"]).union(*(required[each] for each in part["requires"]))
    return required


def bundle(wanted: Collection[str] | None = None) -> str:
    """The bundle: one JavaScript expression that evaluates to `start(config, scripts)`.

    With the parts of these names and what those require, unknown names as none; every part unless told.
    """
    known = parts()
    names = set(known).intersection(known if wanted is None else wanted)
    return _cut(frozenset(names.union(*(known[name] for name in names))))


def pixel() -> str:
    """The pixel of external domains: one JavaScript expression that evaluates to `start(config, scripts)`."""
    return _read("dist/pixel.js")


@lru_cache(maxsize=64)
def _cut(names: frozenset[str]) -> str:
    """The bundle without marks and without the other parts."""
    first, *marked = _MARK.split(_read("dist/sdk.js"))
    kept = [first]
    depth = 0  # in what is cut away
    for closing, name, text in zip(marked[::3], marked[1::3], marked[2::3], strict=True):
        if names.isdisjoint(name.split("|")):
            depth += -1 if closing else 1
        if not depth:
            kept.append(text)
    return "".join(kept)


@cache
def _read(path: str) -> str:
    return files(__name__).joinpath(*path.split("/")).read_text(encoding="utf-8")
