"""Config and snippet routes beside a bare Powertools resolver that returns the same bytes.

Our side authenticates nothing but does all its work: limit by address (in memory here), negotiation of the encoding,
conditional headers, the in-process cache. The baseline route is one line that returns bytes it already holds.
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

from aws_lambda_powertools.event_handler import APIGatewayHttpResolver, Response

from abtest.edge.delivery import Delivery
from abtest.edge.publications import Publications
from abtest.kit.clock import SystemClock
from benchmarks.harness import compare, line, milliseconds, peak_megabytes
from benchmarks.world import gateway_event, published_shop
from tests.support.memory import MemoryRateLimiter


@dataclass
class Context:
    """As much of a Lambda context as Powertools looks at."""

    aws_request_id: str = "benchmark"
    function_name: str = "benchmark"
    memory_limit_in_mb: int = 512
    invoked_function_arn: str = "arn:aws:lambda:us-east-1:000000000000:function:benchmark"


class Unlimited(MemoryRateLimiter):
    """Counts as ever, but the benchmark is one address that asks a hundred thousand times."""

    def take(self, bucket: str, **rule: Any) -> Any:
        return super().take(bucket, **{**rule, "limit": 10**9})


def bare(path: str, answer: dict[str, Any], *, method: str = "get") -> Any:
    """A Powertools handler of one route that returns the answer's bytes."""
    app = APIGatewayHttpResolver()
    body = answer["body"]
    content_type = answer["headers"]["Content-Type"]

    def route(**_: str) -> Response[Any]:
        return Response(200, content_type, body)

    getattr(app, method)(path)(route)
    return app.resolve


def never() -> Any:
    """Fail: no request here is one of previews."""
    raise AssertionError


def main() -> None:
    shop, blobs = published_shop()
    delivery = Delivery(
        publications=Publications(blobs, SystemClock()),
        limiter=Unlimited(),
        clock=SystemClock(),
        previews=never,
        bar=never,
        editor=never,
    )
    plain = {"accept-encoding": "identity"}
    cases = [
        (
            "GET /api/exp",
            delivery.config,
            gateway_event("GET", "/api/exp", query={"shopId": shop.id}, headers=plain),
            "/api/exp",
        ),
        (
            "GET /s/{shop_id}.js",
            delivery.snippet,
            gateway_event("GET", f"/s/{shop.id}.js", pathParameters={"file": f"{shop.id}.js"}, headers=plain),
            "/s/<file>",
        ),
    ]
    print("Edge routes, warm, one request through the handler (aim: not slower than a bare Powertools handler)")
    for name, handler, event, path in cases:
        answer = handler(event, Context())
        assert answer["statusCode"] == 200, answer
        baseline = bare(path, answer)
        assert baseline(event, Context())["statusCode"] == 200
        found = compare(partial(handler, event, Context()), partial(baseline, event, Context()))
        line(name, milliseconds(found.ours), "bare Powertools, same bytes", milliseconds(found.baseline), found.ratio)
    print(f"  peak memory {peak_megabytes():.0f} MB")


if __name__ == "__main__":
    main()
