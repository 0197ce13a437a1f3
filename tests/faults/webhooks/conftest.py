"""The receiver and the office of each test."""

from __future__ import annotations

import ssl
from collections.abc import Iterator

import pytest
import trustme

from tests.faults.webhooks.office import Office
from tests.faults.webhooks.receivers import NAME, Receiver
from tests.unit.outbound_http.servers import certified


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    """Who certifies receivers."""
    return trustme.CA()


@pytest.fixture(scope="session")
def certificate(authority: trustme.CA) -> ssl.SSLContext:
    """What a receiver speaks TLS with; to make one takes a while."""
    return certified(authority, NAME)


@pytest.fixture
def receiver(authority: trustme.CA, certificate: ssl.SSLContext) -> Iterator[Receiver]:
    """A receiver that listens."""
    with Receiver(authority=authority).up(certificate) as found:
        yield found


@pytest.fixture
def office(receiver: Receiver) -> Office:
    """A shop whose endpoint is the receiver."""
    return Office(receiver)
