"""Compression of API responses: CPU of a list of 50 experiments through the Lambda handler, gzip next to identity.

The stores are in memory, so only the handler's own work is measured. For scale, the network time that the smaller body
saves is printed for two connections.
"""

import gzip
import json
import time
from typing import Any

from abtest.http.factory import create_app, handler
from abtest.http.journal import journal
from abtest.kit.content_coding import LEVEL
from abtest.wiring.api_experiments import experiments_uses
from api_experiments.routes import ROUTERS
from benchmarks.harness import compare, line, milliseconds
from benchmarks.world import gateway_event
from tests.support.api import MemoryApi
from tests.support.memory import MemorySessions

EXPERIMENTS = 50
MEGABITS = (10, 100)


class Listing:
    """A shop with experiments, and a list request in each coding."""

    def __init__(self) -> None:
        self.api = MemoryApi([])
        uses = experiments_uses(self.api.management, MemorySessions())
        self.handler = handler(create_app(ROUTERS, self.api.management.services(uses)))
        self.headers = {"authorization": f"Bearer {self.api.tenant().admin}", "content-type": "application/json"}
        for number in range(EXPERIMENTS):
            self.create(number)

    def create(self, number: int) -> None:
        """Store one experiment through the API."""
        body = {
            "name": f"Headline on page {number}",
            "description": "A shorter headline names the benefit first.",
            "goals": [{"name": "Add to cart", "type": "custom", "event_name": "add_to_cart", "is_primary": True}],
        }
        event = gateway_event("POST", "/api/v1/experiments", headers=self.headers, body=json.dumps(body))
        answer = self.handler(event, None)
        assert answer["statusCode"] == 201, answer

    def get(self, coding: str) -> dict[str, Any]:
        """List the experiments in this coding."""
        self.api.clock.advance(seconds=1)  # the key's rate limit never applies
        headers = {**self.headers, "accept-encoding": coding}
        return self.handler(
            gateway_event("GET", "/api/v1/experiments", query={"limit": str(EXPERIMENTS)}, headers=headers), None
        )


def main() -> None:
    """Print sizes and times of both codings, and of other levels."""
    journal.setLevel("ERROR")  # a line for each request would drown the figures
    listing = Listing()
    plain, packed = listing.get("identity"), listing.get("gzip")
    assert packed["headers"]["content-encoding"] == "gzip", packed["headers"]
    cost = compare(lambda: listing.get("gzip"), lambda: listing.get("identity"), repeat=20, clock=time.process_time)
    content = plain["body"].encode()
    small = int(packed["headers"]["content-length"])
    print(f"GET /experiments?limit={EXPERIMENTS}, warm handler, stores in memory, CPU")
    line("gzip", milliseconds(cost.ours), "identity", milliseconds(cost.baseline), cost.ratio)
    print(f"  body {len(content):,} bytes, in gzip {small:,}: {len(content) / small:.1f} times smaller")
    for speed in MEGABITS:
        saved = (len(content) - small) * 8 / (speed * 1e6)
        print(f"  transfer saved at {speed} Mbit/s: {milliseconds(saved)}")
    for level in (1, 6, 9):
        one = compare(lambda level=level: gzip.compress(content, level, mtime=0), lambda: None, repeat=20)  # type: ignore[misc]
        size = len(gzip.compress(content, level, mtime=0))
        used = ", used" if level == LEVEL else ""
        print(f"  level {level}: {size:,} bytes in {milliseconds(one.ours)}{used}")


if __name__ == "__main__":
    main()
