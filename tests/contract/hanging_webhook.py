"""A process that hangs while it sends a delivery: `python -m tests.contract.hanging_webhook NAMES SHOP WEBHOOK`.

Writes "sending" once it holds the endpoint's lease and has claimed the delivery. It works on the engine of its
environment.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from abtest.adapters.dynamo import DynamoCatalog, DynamoDeliveryStore, DynamoLeases
from abtest.adapters.s3 import S3Blobs
from abtest.domain.webhooks.endpoint import Sealed
from abtest.domain.webhooks.envelope import secret_of
from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.ports.http_sender import HttpAnswer, HttpSender
from abtest.services.context import World
from abtest.services.webhooks.notification import WorkerNotifier
from tests.support.memory import MemoryQueue
from tests.support.webhooks import worker


class OneSecret:
    """Sealer of one secret, the same in every process."""

    def seal(self, text: str, context: Mapping[str, str]) -> Sealed:
        return Sealed(f"{len(text)} characters for {len(context)}")

    def open(self, sealed: Sealed, context: Mapping[str, str]) -> str:
        assert sealed.text
        assert context
        return secret_of(b"k" * 32)


class HangingSender:
    """Sender that never gets an answer."""

    def post(self, url: str, body: bytes, *, headers: Mapping[str, str]) -> HttpAnswer:
        sys.stdout.write("sending\n")
        sys.stdout.flush()
        sys.stdin.read()  # until this process is killed, or its parent has died
        raise AssertionError(url, body, headers)

    def get(self, url: str, *, headers: Mapping[str, str], redirects: int = 0) -> HttpAnswer:
        raise AssertionError(url, headers, redirects)


@contextmanager
def hanging() -> Iterator[HttpSender]:
    """Open a sender that hangs."""
    yield HangingSender()


def main(catalog: str, blobs: str, ephemeral: str, deliveries: str, shop_id: str, webhook_id: str) -> None:
    """Drain the endpoint on these resources."""
    worker(
        World(catalog=DynamoCatalog(catalog, S3Blobs(blobs)), clock=SystemClock(), random=SystemRandomness()),
        store=DynamoDeliveryStore(deliveries),
        leases=DynamoLeases(ephemeral),
        sealer=OneSecret(),
        notifier=WorkerNotifier(MemoryQueue()),
        senders=hanging,
    ).drain.run(shop_id, webhook_id)


if __name__ == "__main__":
    main(*sys.argv[1:])
