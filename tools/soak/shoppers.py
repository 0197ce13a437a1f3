"""The load: shoppers' requests, five events in a hundred of them sent twice, to this machine and no other."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import requests

DISTINCT, REPEATED = 195, 5
"""Events of a full request, and how many of them stand in it twice."""
SENT_TWICE = 40
"""Of so many requests one is sent twice: with the repeats in requests, five events in a hundred."""
BUSY_SECONDS, PATIENCE_SECONDS = 1.0, 120.0

Event = dict[str, Any]


class UnansweredError(Exception):
    """The stack did not take a request in, though it was repeated for two minutes."""


@dataclass(slots=True)
class Sent:
    """Events sent for a shop: distinct events, and all with their repeats."""

    distinct: int = 0
    events: int = 0


@dataclass(frozen=True, slots=True)
class Shopfront:
    """A shop of the stack, and what its snippet signs events with."""

    shop_id: str
    signature: str
    worker_base_url: str

    def __post_init__(self) -> None:
        if urlsplit(self.worker_base_url).hostname not in ("127.0.0.1", "localhost"):
            raise ValueError("load is for this machine alone")

    def send(self, number: int, on_sent: Callable[[int], None]) -> Sent:
        """Send so many distinct events, and repeats; `on_sent` hears of each request. Raises UnansweredError."""
        sent = Sent()
        with requests.Session() as http:
            for index, first in enumerate(range(0, number, DISTINCT)):
                distinct = list(events(first, min(first + DISTINCT, number)))
                body = distinct + distinct[:REPEATED]
                for _ in range(2 if index % SENT_TWICE == 0 else 1):
                    self._post(http, body)
                    sent.events += len(body)
                sent.distinct += len(distinct)
                on_sent(len(distinct))
        return sent

    def _post(self, http: requests.Session, body: list[Event]) -> None:
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            envelope = {"_shopId": self.shop_id, "_signature": self.signature, "sentAt": int(time.time() * 1000)}
            answer = http.post(f"{self.worker_base_url}/events", json={"events": body, **envelope}, timeout=60)
            if answer.status_code == 202 and not answer.json()["quarantined"]:
                return
            if answer.status_code not in (429, 503) or time.monotonic() > deadline:
                raise UnansweredError(f"{answer.status_code}: {answer.text[:300]}")
            time.sleep(min(float(answer.headers.get("Retry-After", BUSY_SECONDS)), 10.0))


def events(first: int, end: int) -> Iterator[Event]:
    """Events by number: five of each visitor."""
    now = int(time.time() * 1000)
    for number in range(first, end):
        visitor = f"soak-{number // 5}"
        kinds: list[Mapping[str, Any]] = [
            {"type": "pageview", "data": {"path": "/"}},
            {"type": "custom", "data": {"event_name": "add_to_cart", "value": number % 100}},
            {"type": "pageview", "data": {"path": "/cart"}},
            {"type": "custom", "data": {"event_name": "checkout_started"}},
            {"type": "order", "data": {"orderId": f"order-{number}", "revenue": "19.90", "currency": "EUR"}},
        ]
        yield {"eventId": f"soak-{number}", "visitorId": visitor, "ts": now, **kinds[number % 5]}
