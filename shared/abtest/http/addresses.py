"""Which methods an address has. A literal address is not one with an id in its place: `/goals/order` is no goal."""

from collections.abc import Iterator, Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as PlainRoute
from starlette.routing import compile_path

from abtest.http.route import Route

METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")


class Addresses:
    """The addresses of some routes, the most literal first."""

    def __init__(self, routes: Sequence[Route]) -> None:
        self._by_path: dict[str, set[str]] = {}
        for route in sorted(routes, key=lambda route: route.path.count("{")):
            self._by_path.setdefault(route.path, set()).update(route.methods or ())
        self._patterns = [(compile_path(path)[0], path) for path in self._by_path]

    def methods(self, path: str) -> set[str]:
        """The methods of the address that a path leads to; none when it leads nowhere."""
        return next((self._by_path[template] for pattern, template in self._patterns if pattern.match(path)), set())

    def guards(self) -> Iterator[PlainRoute]:
        """Routes that refuse, on a literal address, the methods that only its look-alikes have."""
        for path, own in self._by_path.items():
            if self._is_shadowed(path):
                yield PlainRoute(path, _refuse, methods=[method for method in METHODS if method not in own])

    def _is_shadowed(self, path: str) -> bool:
        return any(template != path and pattern.match(path) for pattern, template in self._patterns)


async def _refuse(_: Request) -> Response:
    raise HTTPException(405)
