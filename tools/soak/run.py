"""One soak: a stack of its own, the load, and what the ledger holds of it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import requests

from abtest.adapters import aws
from abtest.adapters.s3 import S3Blobs
from abtest.kit.clock import SystemClock
from tests.support.compaction import Compacting
from tools.local.provision.clients import CREDENTIALS, Clients
from tools.local.template.intrinsics import REGION
from tools.local.testing import settle, status
from tools.soak.ledger import Bucket, Stored
from tools.soak.shoppers import Sent, Shopfront

SHOPS = 6
"""A shop may send 60,000 events a minute; one client each."""
SETTLE_SECONDS = 3600.0

OnSent = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Events sent and events stored, over all shops."""

    sent: Sent
    raw: Stored
    parquet: Stored
    seconds: float

    @property
    def is_exact(self) -> bool:
        """Return whether every event is there, and each counts once."""
        return self.sent.distinct == self.raw.distinct == self.parquet.distinct


def soak(dev: Mapping[str, Any], directory: Path, number: int, on_sent: OnSent, say: Callable[[str], None]) -> Outcome:
    """Send `number` distinct events through the stack that runs in `directory`, and look for them."""
    fronts = [_shopfront(dev, index) for index in range(SHOPS)]
    shares = [number // SHOPS + (index < number % SHOPS) for index in range(SHOPS)]
    started = time.monotonic()
    with ThreadPoolExecutor(SHOPS) as pool:
        sent = list(pool.map(lambda front, share: front.send(share, on_sent), fronts, shares))
    seconds = time.monotonic() - started
    say("settling: queues are drained into the ledger")
    settle(directory, SETTLE_SECONDS)
    endpoint = status(directory)["engine"]["address"]
    bucket = _ledger_bucket(endpoint)
    say("compacting: hours become Parquet, the present one included")
    _compact(endpoint, bucket)
    ledger = Bucket(Clients(endpoint).s3, bucket)
    return Outcome(
        sent=Sent(distinct=sum(each.distinct for each in sent), events=sum(each.events for each in sent)),
        raw=_together([ledger.raw(front.shop_id) for front in fronts]),
        parquet=_together([ledger.parquet(front.shop_id) for front in fronts]),
        seconds=seconds,
    )


def _shopfront(dev: Mapping[str, Any], index: int) -> Shopfront:
    """A new shop, and the signature that its config shows to browsers."""
    made = requests.post(
        f"{dev['base_url']}/shops",
        json={"name": f"Soak {index}", "domain": f"soak-{index}.example", "currency": "EUR"},
        headers={"Authorization": f"Bearer {dev['user_key']}"},
        timeout=30,
    )
    made.raise_for_status()
    shop_id = made.json()["id"]
    config = requests.get(f"{dev['worker_base_url']}/api/exp", params={"shopId": shop_id}, timeout=30)
    config.raise_for_status()
    return Shopfront(shop_id, config.json()["runtime"]["events_signature"], dev["worker_base_url"])


def _ledger_bucket(endpoint: str) -> str:
    names = [bucket["Name"] for bucket in Clients(endpoint).s3.list_buckets()["Buckets"]]
    return next(name for name in names if "ledger" in name.lower())


def _compact(endpoint: str, bucket: str) -> None:
    """Compact like cron_compact, without waiting for closed hours."""
    with _reaching(endpoint):
        Compacting(clock=SystemClock(), ledger=S3Blobs(bucket)).run(open_hours=True)


@contextmanager
def _reaching(endpoint: str) -> Iterator[None]:
    """The product's own clients lead to the engine, for a while."""
    environment = {**CREDENTIALS, "AWS_ENDPOINT_URL": endpoint, "AWS_DEFAULT_REGION": REGION}
    with patch.dict(os.environ, environment):
        aws.reset()
        try:
            yield
        finally:
            aws.reset()


def _together(parts: list[Stored]) -> Stored:
    return Stored(sum(each.rows for each in parts), sum(each.distinct for each in parts))
