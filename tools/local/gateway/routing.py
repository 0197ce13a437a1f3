"""Selects a route as an HTTP API does: the most specific path wins, and then a method over ANY."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Generic, TypeVar
from urllib.parse import unquote

from tools.local.template.functions import Route

Target = TypeVar("Target")

_VARIABLE = re.compile(r"\{([^{}+]+)(\+?)\}")


def _pattern(path: str) -> re.Pattern[str]:
    parts, names, end = [], {}, 0
    for number, variable in enumerate(_VARIABLE.finditer(path)):
        parts.append(re.escape(path[end : variable.start()]))
        names[f"v{number}"] = variable[1]
        parts.append(f"(?P<v{number}>{'.+' if variable[2] else '[^/]+'})")
        end = variable.end()
    return re.compile("".join(parts) + re.escape(path[end:]))


def _rank(segment: str) -> int:
    variable = _VARIABLE.search(segment)
    return 0 if variable is None else 2 if variable[2] else 1


class Router(Generic[Target]):
    """All routes of one API, each with what answers it."""

    def __init__(self, routes: Iterable[tuple[Route, Target]]) -> None:
        routes = list(routes)
        ordered = sorted((pair for pair in routes if pair[0].path != "$default"), key=self._specificity)
        self._routes = [
            (route, target, _pattern(route.path), [variable[1] for variable in _VARIABLE.finditer(route.path)])
            for route, target in ordered
        ]
        self._default = next((pair for pair in routes if pair[0].path == "$default"), None)

    @staticmethod
    def _specificity(pair: tuple[Route, Target]) -> tuple[list[int], bool]:
        route, _ = pair
        return [_rank(segment) for segment in route.path.split("/")], route.method == "ANY"

    def select(self, method: str, path: str) -> tuple[Route, Target, dict[str, str]] | None:
        """Find the route for a method and a raw path, with its decoded path parameters."""
        for route, target, pattern, names in self._routes:
            if route.method in (method, "ANY") and (found := pattern.fullmatch(path)):
                values = zip(names, found.groups(), strict=True)
                return route, target, {name: unquote(value) for name, value in values}
        if self._default:
            return *self._default, {}
        return None
