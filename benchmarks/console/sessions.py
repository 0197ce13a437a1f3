"""A warm request by the cookie of a session, next to the same by bearer key.

Both are requests to warm handlers in this process on a local engine, with key or session, limit and checks.
Goal: at most 1.1 times the bearer.
"""

from abtest.http.session_cookie import NAME
from benchmarks.bench_edge import Context
from benchmarks.bench_overview import Screen, times_of
from benchmarks.console.table import row
from benchmarks.harness import milliseconds
from benchmarks.world import gateway_event
from tests.support.console import begun

CALLS, BY_COOKIE = 300, 1.1


def report(screen: Screen) -> None:
    """Print time and processor time of both."""
    token = begun(screen.base, screen.shop.org_id, level="email").token
    path = f"/experiments/{screen.ids[0]}"

    def by_cookie() -> None:
        headers = {"sec-fetch-site": "same-origin", "x-svc-shop": screen.shop.id}
        event = gateway_event("GET", f"/api/v1{path}", headers=headers, cookies=[f"{NAME}={token}"])
        answer = screen.experiments(event, Context())
        assert answer["statusCode"] == 200, answer

    def by_bearer() -> None:
        screen.call(screen.experiments, "GET", path)

    times = times_of({"cookie": by_cookie, "bearer": by_bearer}, CALLS, lambda: None)
    print("GET /experiments/{id}, warm")
    for name, place in (("elapsed, p50", 0), ("elapsed, p99", 1), ("CPU, p50", 2)):
        ours, theirs = times["cookie"][place], times["bearer"][place]
        row(f"by cookie, {name}", milliseconds(ours), "by bearer", milliseconds(theirs), ours / theirs, BY_COOKIE)
