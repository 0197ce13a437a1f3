"""The template's stack where endpoints may be on this machine, and one of them."""

from collections.abc import Iterator

import pytest

from tests.integration.worker_webhooks.office import Office
from tests.support.inbox import Inbox
from tests.support.moto_stack import AwsStack, moto_stack


@pytest.fixture
def local_stack(monkeypatch: pytest.MonkeyPatch) -> Iterator[AwsStack]:
    """As on somebody's own machine."""
    with moto_stack(monkeypatch, {"AllowLoopbackEgress": "true"}) as stack:
        yield stack


@pytest.fixture
def office(local_stack: AwsStack) -> Office:
    """The worker with its clock and queue in our hands."""
    local_stack.enter("WorkerWebhooks")
    return Office.on(local_stack)


@pytest.fixture
def receiver() -> Iterator[Inbox]:
    """An endpoint that takes everything."""
    found = Inbox()
    found.start()
    yield found
    found.stop()
