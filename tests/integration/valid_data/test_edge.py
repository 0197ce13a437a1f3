"""Every edge operation accepts a request that schemathesis makes from the document: valid data only, in process.

Credentials, and what must name something published, are put into each request; all else is generated.
"""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from abtest.domain.credentials.signing import browser_signature
from abtest.edge.ingest_health import Health
from tests.integration.bad_input.conftest import Operation
from tests.support.assigning import EVERYBODY, Server, event_of
from tests.support.handovers import THERE, HandoverServer
from tests.support.memory import MemoryQueue, MemorySessions
from tests.support.openapi import contract
from tests.support.preview_links import Linking
from tests.support.previewing import BLUE, Previewing, previewing
from tests.support.storefronts import ROOTS, SHOP_ID, experiment
from tests.support.valid_data import assert_accepted
from tests.unit.ingest.edge import Edge, signed, signed_headers

Json = dict[str, Any]
FILE = f"{SHOP_ID}.js"
Handler = Callable[[Any], Mapping[str, Any]]

OPERATIONS = [
    Operation(method.upper(), path, details)
    for path, item in contract().document["paths"].items()
    if "servers" in item
    for method, details in item.items()
    if method != "servers"
]


class EdgeWorld:
    """The edge handlers on memory, with a published shop."""

    def __init__(self, preview: Previewing) -> None:
        self.ingest, self.server, self.preview = Edge(), Server(), preview
        self.token = preview.open(with_experiment=True)
        preview.shop.page("/", "<!doctype html>")
        self.handover = HandoverServer().publish(THERE)
        self.server.publish(experiment(1, variations=EVERYBODY))
        storefront = self.server.storefront
        linking = Linking(storefront)
        self.link, delivery = linking.draft().token, linking.delivery
        self.handlers: Mapping[str, Handler] = {
            "/events": self.ingest.routes.events,
            "/_svc/events": self.ingest.routes.events,
            "/assign": self.server.routes.assign,
            "/_svc/assign": self.server.routes.assign,
            "/_svc/handover": self.handover.routes.handover,
            "/_svc/handover/verify": self.handover.routes.handover,
            "/api/exp": delivery.config,
            "/s/{file}": delivery.snippet,
            "/health": self._health().answer,
            "/api/preview": preview.handler,
            "/api/preview/state": preview.handler,
        }

    def _health(self) -> Health:
        return Health(
            environment="test",
            release="",
            queue_name="events",
            queue=MemoryQueue(),
            dead_letters=MemoryQueue(),
            limits_store=MemorySessions(),
            clock=self.server.storefront.clock,
        )

    def headers(self, path: str) -> dict[str, str]:
        """Credentials that an operation takes in headers."""
        if path.endswith("/assign"):
            return {"authorization": f"Bearer {self.server.key}"}
        return signed_headers() if path.endswith("/events") else {}

    def linked(self, path: str) -> Json:
        """Members of a query or an object that must name something real, by their names."""
        if path.endswith("/events"):
            return signed()
        if path.startswith("/api/preview"):
            return {"pst": self.token, "url": f"http://{self.preview.shop.host}/", "variation_id": BLUE}
        return {
            "_shopId": SHOP_ID,
            "_signature": browser_signature(ROOTS, SHOP_ID),
            "shopId": SHOP_ID,
            "pst": self.link,
            "env": "production",
            "environment": "production",
            "logged_in_customer_id": "customer-42",
            "customer_id": "customer-42",
            "destination": THERE,
            "host": THERE,
            "token": self.handover.mint().json["token"],
        }


def with_links(values: Any, links: Json) -> Any:
    """Put linked values in the place of generated ones."""
    if not isinstance(values, dict):
        return values
    return values | {name: value for name, value in links.items() if name in values}


@pytest.fixture(scope="module")
def edge(event_loop_of_handlers: asyncio.AbstractEventLoop) -> Iterator[EdgeWorld]:
    asyncio.set_event_loop(event_loop_of_handlers)
    with previewing() as preview:
        yield EdgeWorld(preview)


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_operation__of_the_edge_with_valid_data__accepts_it(edge: EdgeWorld, operation: Operation) -> None:
    path = operation.path.replace("{file}", FILE)

    def send(case: Any) -> tuple[int, bytes]:
        links = edge.linked(operation.path)
        body = json.dumps(with_links(case.body, links)) if isinstance(case.body, dict | list) else None
        headers = {"content-type": case.media_type or "application/json", **edge.headers(operation.path)}
        query = with_links(dict(case.query or {}), links)
        event = event_of(operation.method, path, query=query, headers=headers, body=body)
        answer = edge.handlers[operation.path](event | {"pathParameters": {"file": FILE}})
        content = b64decode(answer["body"]) if answer.get("isBase64Encoded") else answer["body"].encode()
        lower = {name.lower(): value for name, value in answer["headers"].items()}
        contract().check(operation.method, path, answer["statusCode"], lower, content)
        return answer["statusCode"], content

    assert_accepted(operation.method, operation.path, send)


def test_operations__of_the_edge__have_handlers_here(edge: EdgeWorld) -> None:
    assert {operation.path for operation in OPERATIONS} == edge.handlers.keys()
