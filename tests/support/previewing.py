"""Preview function on memory, before a shop of this machine: sessions and tokens, called directly or over HTTP."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from urllib.parse import quote, urlsplit

from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.domain.credentials.preview import PreviewGrant, make_token
from abtest.domain.egress.targets import EgressRules, OperatorChosen, PublicOnly
from abtest.domain.preview.addresses import PreviewSite, proxied
from abtest.domain.preview.session import FIRST_STATE, PreviewSession, snippet_key, state_id
from abtest.edge.gateway import Answer, GatewayEvent
from abtest.edge.preview import PreviewRoutes
from abtest.edge.preview_sessions import OpenSessions
from abtest.edge.preview_upstream import Upstream
from abtest.kit.clock import ManualClock, timestamp
from abtest.kit.documents import encode
from abtest.ports.http_sender import HttpForwarder
from abtest.storefront import bridge, editor
from tests.support import previewed as shops
from tests.support.memory import MemoryBlobs, MemoryRateLimiter, MemorySessions
from tests.support.previewed import NOW, PreviewedShop, Received, served
from tests.support.storefronts import ROOTS, SHOP_ID

BASE = "https://{session}.preview.test"
WORKER = "https://edge.test"
SESSION_ID = "0192a3b4-0000-7000-8000-00000000000f"
EXPERIMENT_ID = "0192a3b4-0000-7000-8000-0000000000e1"
CONTROL, BLUE = "0192a3b4-0000-7000-8000-0000000000a1", "0192a3b4-0000-7000-8000-0000000000a2"


@dataclass(frozen=True)
class Reply:
    """Response of the function."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> tuple[int, str]:
        """Status and code."""
        return self.status, self.json["error"]


@dataclass
class Previewing:
    """The function, and one session of a shop. `limits` are those of the function, with fewer seconds."""

    shop: PreviewedShop
    base: str = BASE
    clock: ManualClock = field(default_factory=lambda: ManualClock(NOW))
    sessions: MemorySessions = field(default_factory=MemorySessions)
    files: MemoryBlobs = field(default_factory=MemoryBlobs)
    rules: EgressRules = field(default_factory=lambda: PublicOnly(allow_loopback=True))
    limits: Limits = field(default_factory=lambda: Limits(seconds=3, body_bytes=5 * 1024 * 1024))

    def routes(self) -> PreviewRoutes:
        """The routes, as they are wired."""
        sessions = OpenSessions(
            roots=lambda: ROOTS,
            sessions=self.sessions,
            limiter=MemoryRateLimiter(),
            clock=self.clock,
            base=self.base,
            worker_base_url=WORKER,
            bridge=bridge(),
        )
        client = self.upstream or OutboundHttp(self.rules, self.limits, resolve=lambda _host, _port: ["127.0.0.1"])
        return PreviewRoutes(
            sessions=sessions, upstream=Upstream(client, self.clock), files=self.files, clock=self.clock, editor=editor
        )

    upstream: HttpForwarder | None = None
    """In place of a real client."""

    def __post_init__(self) -> None:
        self._routes = self.routes()

    def handler(self, event: GatewayEvent) -> Answer:
        """Answer an event of the gateway."""
        return self._routes.answer(event)

    def open(self, session_id: str = SESSION_ID, *, with_experiment: bool = False) -> str:
        """Open a session, and return its token."""
        expires = self.clock.now() + timedelta(hours=1)
        session = PreviewSession(
            id=session_id,
            shop_id=SHOP_ID,
            url=f"http://{self.shop.host}/",
            hosts=(self.shop.host,),
            experiment_id=EXPERIMENT_ID if with_experiment else None,
            variation_id=BLUE if with_experiment else None,
            variation_ids=(CONTROL, BLUE) if with_experiment else (),
            created_by="x",
            expires_at=timestamp(expires),
        )
        for variation_id in session.variation_ids:
            text = f"/* {variation_id} */".encode()
            self.files.put(snippet_key(session_id, variation_id), text, content_type="application/javascript")
        self.sessions.put(session_id, encode(session), expires_at=expires)
        self.sessions.put(state_id(session_id), FIRST_STATE, expires_at=expires)
        return make_token(ROOTS, self.grant(session_id))

    def grant(self, session_id: str = SESSION_ID, **changes: Any) -> PreviewGrant:
        """Return what the token of a session grants."""
        expires = int((self.clock.now() + timedelta(hours=1)).timestamp())
        values = {"session_id": session_id, "shop_id": SHOP_ID, "hosts": [self.shop.host], "expires_at": expires}
        return PreviewGrant(**{**values, **changes})

    def page(self, token: str | None, url: str, method: str = "GET", **more: Any) -> Reply:
        """Request an address of the web through the proxy; a path is one of the shop."""
        address = f"http://{self.shop.host}{url}" if url.startswith("/") else url
        pst = "" if token is None else f"pst={token}&"
        return self.ask(method, "/api/preview", f"{pst}url={quote(address, safe='')}", **more)

    def ask(
        self, method: str, path: str, query: str = "", *, headers: dict[str, str] | None = None, body: str = ""
    ) -> Reply:
        """Send a request to the function."""
        given = {"accept": "*/*", "cookie": "ours=1", **(headers or {})}
        return reply_of(self.handler(event_of(method, f"{path}?{query}", given, body)))

    def respond(self, request: Received) -> shops.Answer:
        """Answer a request over HTTP."""
        reply = reply_of(self.handler(event_of(request.method, request.path, request.headers, request.body)))
        return reply.status, reply.headers, reply.body

    def followed(self, token: str, location: str) -> Reply:
        """Request the address of a redirect."""
        parts = urlsplit(location)
        assert parts.path == "/api/preview", location
        return self.ask("GET", parts.path, parts.query)


@dataclass(frozen=True)
class Proxy:
    """The function on a port of this machine, with a session."""

    preview: Previewing
    token: str

    @property
    def shop(self) -> PreviewedShop:
        return self.preview.shop

    @property
    def base(self) -> str:
        """Origin of the session."""
        return self.preview.base

    def address(self, path: str) -> str:
        """Return the address of a page of the shop at the proxy."""
        site = PreviewSite(base=self.base, token=self.token, hosts=frozenset({self.shop.host}))
        return proxied(site, f"http://{self.shop.host}{path}")


@contextmanager
def proxied_shop(shop: PreviewedShop, *, with_experiment: bool = False) -> Iterator[Proxy]:
    """Serve the function before a shop that has a host already: a name that only the function can resolve."""
    running: list[Previewing] = []
    with served(lambda request: running[0].respond(request), "127.0.0.1") as host:
        running.append(Previewing(shop, f"http://{host}", rules=OperatorChosen()))
        yield Proxy(running[0], running[0].open(with_experiment=with_experiment))


@contextmanager
def previewing(base: str = BASE, **more: Any) -> Iterator[Previewing]:
    """Serve a shop on this machine, with the function before it."""
    shop = PreviewedShop()
    with served(shop.answer, "127.0.0.1") as host:
        shop.host = host
        yield Previewing(shop, base, **more)


def event_of(method: str, address: str, headers: Mapping[str, str], body: str = "") -> GatewayEvent:
    """Return the event of a request. `address` is its path with the query."""
    path, _, query = address.partition("?")
    http = {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "203.0.113.7", "userAgent": "x"}
    return {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": query,
        "headers": headers,
        "requestContext": {"http": http},
        "body": body,
        "isBase64Encoded": False,
    }


def reply_of(answer: Answer) -> Reply:
    """Return an answer of the function as browsers get it."""
    text = answer["body"]
    content = b64decode(text) if answer.get("isBase64Encoded") else text.encode()
    return Reply(answer["statusCode"], {name.lower(): value for name, value in answer["headers"].items()}, content)
