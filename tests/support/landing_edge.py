"""Function of published pages on memory: a bucket, a clock, and the handler as deployed behind the CDN."""

from __future__ import annotations

import gzip
from base64 import b64decode
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import brotli

from abtest.edge.assign_configs import PreparedConfigs
from abtest.edge.cdn import behind_cdn
from abtest.edge.landing_pages import LandingPages
from abtest.edge.landing_variants import PageConfig, Variants
from abtest.edge.publications import Publications
from abtest.edge.published_pages import PublishedPages
from abtest.kit.clock import Clock, ManualClock
from abtest.kit.ids import SystemRandomness
from tests.support.memory import MemoryBlobs
from tests.support.routes import HOST, PATH

SECRET = "proof"
Answer = dict[str, Any]


class CountedBlobs(MemoryBlobs):
    """A bucket that counts what is read."""

    def __init__(self) -> None:
        super().__init__()
        self.reads: list[str] = []

    def get(self, key: str) -> Any:
        self.reads.append(key)
        return super().get(key)


class LandingEdge:
    """The handler on a bucket and a clock."""

    def __init__(self, blobs: MemoryBlobs, clock: Clock) -> None:
        configs = PreparedConfigs(Publications(blobs, clock), PageConfig.of)
        choose = Variants(configs.read, clock, SystemRandomness()).choose
        self.handler = behind_cdn(SECRET, LandingPages(PublishedPages(blobs, clock), choose).answer)

    def get(self, path: str = PATH, host: str = HOST, method: str = "GET", **headers: str) -> Answer:
        """Answer to a request; `path` is as the gateway has decoded it."""
        return self.ask(path, host, method, headers={name.replace("_", "-"): each for name, each in headers.items()})

    def ask(
        self,
        path: str = PATH,
        host: str = HOST,
        method: str = "GET",
        *,
        headers: dict[str, str] | None = None,
        query: dict[str, str] | None = None,
        cookies: list[str] | None = None,
    ) -> Answer:
        """Answer to a request with a query and cookies."""
        http = {"method": method, "path": path, "sourceIp": "203.0.113.7"}
        event: dict[str, Any] = {
            "rawPath": path,
            "headers": {"host": host, **(headers or {})},
            "requestContext": {"http": http},
        }
        if query:
            event["queryStringParameters"] = query
        if cookies is not None:
            event["cookies"] = cookies
        answer: Answer = self.handler(event, None)
        return answer

    def through_cdn(self, path: str = PATH, spelled: str | None = None, **headers: str) -> Answer:
        """Answer to a request that the CDN passes on, which has spelled the path so."""
        seen = {"x_svc_cdn": SECRET, "x_svc_viewer": "203.0.113.9", "x_svc_host": HOST, "x_svc_path": spelled or path}
        return self.get(path, "id.execute-api.us-east-1.amazonaws.com", **(seen | headers))


class CountedEdge(LandingEdge):
    """The handler on a counted bucket of its own, with a clock that is set by tests."""

    def __init__(self) -> None:
        self.blobs = CountedBlobs()
        self.clock = ManualClock(datetime(2026, 3, 2, tzinfo=UTC))
        super().__init__(self.blobs, self.clock)


def body_of(answer: Answer) -> bytes:
    """Return the decoded body of an answer."""
    body = b64decode(answer["body"]) if answer.get("isBase64Encoded") else answer["body"].encode()
    decode: dict[str | None, Callable[[bytes], bytes]] = {"br": brotli.decompress, "gzip": gzip.decompress, None: bytes}
    return decode[answer["headers"].get("Content-Encoding")](body)
