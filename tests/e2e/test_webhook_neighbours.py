"""Endpoints that never answer, beside one that does: on the local stack, whose workers are few."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from time import monotonic
from typing import Any

import pytest

from tests.e2e.receiver import Receiver
from tests.e2e.story import Story, new_shop

pytestmark = pytest.mark.stack

HANGING = 3
HANGS_SECONDS = 10.0
"""What an endpoint has at most for an exchange."""


@pytest.fixture
def shop(quiet_stack: dict[str, Any]) -> Story:
    """A shop of its own."""
    return new_shop(Story(quiet_stack), "neighbours.example")


@pytest.fixture
def silent() -> Iterator[list[str]]:
    """Endpoints to which everybody can connect, and that then say nothing."""
    with ExitStack() as open_sockets:
        sockets = [open_sockets.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(HANGING)]
        yield [f"http://127.0.0.1:{each.getsockname()[1]}/hooks" for each in sockets]


def test_endpoint__beside_others_that_hang__does_not_wait_for_them(shop: Story, silent: list[str]) -> None:
    receiver = Receiver()
    for url in [*silent, receiver.url]:
        shop.call("POST", "/webhooks", 201, url=url, events=["experiment.started", "experiment.completed"])
    receiver.start()
    try:
        goals = [{"name": "Add to cart", "type": "custom", "event_name": "add_to_cart"}]
        made = shop.call("POST", "/experiments", 201, name="Headline", goals=goals)
        shop.call("POST", f"/experiments/{made['id']}/launch", override_checklist_warnings=True)
        receiver.arrivals(1)
        # All endpoints but one are being waited for by now, or will be, for ten seconds.
        shop.call("POST", f"/experiments/{made['id']}/complete")
        began = monotonic()
        receiver.arrivals(2)
        took = monotonic() - began
    finally:
        receiver.stop()
    assert took < HANGS_SECONDS
