"""Methods of each address. A literal address such as `/goals/order` takes precedence over `/goals/{goal_id}`."""

from collections.abc import Iterator, Sequence

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route as PlainRoute
from starlette.routing import compile_path

from abtest.http.route import Route

METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")


class Addresses:
    """Addresses of routes, those with the fewest parameters first."""

    def __init__(self, routes: Sequence[Route]) -> None:
        self._by_path: dict[str, set[str]] = {}
        for route in sorted(routes, key=lambda route: route.path.count("{")):
            self._by_path.setdefault(route.path, set()).update(route.methods or ())
        for methods in self._by_path.values():
            if "GET" in methods:  # the gate answers HEAD like GET
                methods.add("HEAD")
        self._patterns = [(compile_path(path)[0], path) for path in self._by_path]

    def methods(self, path: str) -> set[str]:
        """Return the methods of the address that matches a path, or none."""
        return next((self._by_path[template] for pattern, template in self._patterns if pattern.match(path)), set())

    def guards(self) -> Iterator[PlainRoute]:
        """Yield a route with 405 for each literal address that also matches an address with a parameter.

        Without it, `DELETE /goals/order` would reach the route of `DELETE /goals/{goal_id}`.
        """

        async def refuse(_: Request) -> Response:
            raise HTTPException(405)

        for path, own in self._by_path.items():
            if any(template != path and pattern.match(path) for pattern, template in self._patterns):
                yield PlainRoute(path, refuse, methods=[method for method in METHODS if method not in own])
