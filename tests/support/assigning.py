"""A shop's server before the assignment routes on memory; every answer is held against the OpenAPI document."""

import gzip
import json
from base64 import b64decode
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from abtest.domain.credentials.signing import RootKeys
from abtest.edge.assign import AssignmentRoutes
from abtest.edge.assign_auth import AssignmentAuth
from abtest.edge.assign_configs import PreparedConfigs
from abtest.edge.ingest_auth import TrackingKeys
from abtest.edge.publications import Publications
from abtest.services.assignment import Assignments, PublishedConfig
from abtest.services.assignment_handoff import Handoffs
from abtest.services.context import World
from abtest.services.keys import mint
from abtest.services.rate_limits import FailedAuthentications
from tests.support.keys import stored_keys
from tests.support.memory import MemoryRateLimiter, MemorySessions
from tests.support.openapi import contract
from tests.support.storefronts import ROOTS, SHOP_ID, Storefront, variation

URL = "https://shop.example/"
TEXT = {"action": "text", "selector": "h1", "text": "New"}
EVERYBODY = (variation(0, weight=0.0), variation(1, weight=1.0, mutations=(TEXT,)))
_CART = {"type": "simple", "pattern": "/cart"}
ON_CART = {"pageRules": [{"id": "0192a3b4-0000-7000-8000-000000000300", "includeRules": [_CART], "excludeRules": []}]}
Json = dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    json: Any

    @property
    def error(self) -> tuple[int, str]:
        """Status and code."""
        return self.status, self.json["error"]

    @property
    def assignments(self) -> list[Json]:
        """The assignments of an answer that has some."""
        assert self.status == 200, self.json
        found: list[Json] = self.json["assignments"]
        return found


def stored_key(world: World, shop_id: str = SHOP_ID, *, kind: Any = "tracking_source", **changes: Any) -> str:
    """The text of a key that is stored with these changes."""
    minted = mint(world, kind=kind, shop_id=shop_id, user_id=world.new_id(), name="Server", scopes=())
    world.catalog.commit(stored_keys(world.catalog, [replace(minted.key, **changes)], world.now()))
    return minted.text


def event_of(method: str, path: str, *, query: Json | None, headers: dict[str, str], body: str | None) -> Json:
    """A payload-2.0 event."""
    return {
        "version": "2.0",
        "rawPath": path,
        "rawQueryString": urlencode(query or {}),
        "queryStringParameters": query or {},
        "headers": headers,
        "requestContext": {"http": {"method": method, "path": path, "sourceIp": "203.0.113.7"}},
        "isBase64Encoded": False,
        **({} if body is None else {"body": body}),
    }


def ask(handler: Any, method: str, key: str | None, asked: Any, path: str = "/assign", **headers: str | None) -> Answer:
    """One request: what is asked is the query of a GET and the body of anything else, as JSON unless it is text."""
    given = {"authorization": f"Bearer {key}" if key else None, "content-type": "application/json"}
    sent = {name.replace("_", "-"): value for name, value in (given | headers).items()}
    query, body = (asked, None) if method == "GET" else (None, asked if isinstance(asked, str) else json.dumps(asked))
    event = event_of(
        method, path, query=query, headers={name: value for name, value in sent.items() if value is not None}, body=body
    )
    return checked(handler(event, None), method, path)


def checked(answer: Json, method: str, path: str) -> Answer:
    """The answer, as the document says that it may be."""
    content = b64decode(answer["body"]) if answer.get("isBase64Encoded") else answer["body"].encode()
    lower = {name.lower(): value for name, value in answer["headers"].items()}
    if lower.get("content-encoding") == "gzip":
        content = gzip.decompress(content)
    documented = method if method in ("GET", "POST") else "POST"
    contract().check(documented, path, answer["statusCode"], lower, content)
    return Answer(answer["statusCode"], answer["headers"], json.loads(content))


@dataclass
class Server:
    """The routes and everything behind them: `storefront` is what is published, `key` is a live one of the shop."""

    storefront: Storefront = field(default_factory=Storefront)
    sessions: MemorySessions = field(default_factory=MemorySessions)
    limiter: MemoryRateLimiter = field(default_factory=MemoryRateLimiter)

    def __post_init__(self) -> None:
        clock, world = self.storefront.clock, self.storefront.world
        keys = TrackingKeys(lambda name: world.catalog.claim_attributes(None, name), clock)
        self.configs = PreparedConfigs(Publications(self.storefront.blobs, clock), PublishedConfig.of)
        self.roots: Callable[[], RootKeys] = lambda: ROOTS
        handoffs = Handoffs(self.sessions, lambda: self.roots(), clock)
        auth = AssignmentAuth(keys, FailedAuthentications(self.limiter, clock))
        assignments = Assignments(self.configs.read, handoffs, clock)
        self.routes = AssignmentRoutes(auth, assignments, self.limiter, clock)
        self.key = stored_key(world)

    def publish(self, *experiments: Any) -> "Server":
        """Store the experiments and publish the shop."""
        for each in experiments:
            self.storefront.keep(each)
        outcome = self.storefront.publication.publish(SHOP_ID)
        assert outcome.ok, outcome
        self.storefront.clock.advance(seconds=1)
        return self

    def post(self, **asked: Any) -> Answer:
        """A POST with the shop's key."""
        return ask(self.routes.assign, "POST", self.key, asked)

    def get(self, **asked: Any) -> Answer:
        """A GET with the shop's key."""
        return ask(self.routes.assign, "GET", self.key, asked)

    def assigned(self, **asked: Any) -> list[Json]:
        """The assignments of a visitor, by POST, on the shop's first page unless another address is said."""
        return self.post(**{"user_id": "visitor", "url": URL, **asked}).assignments
