"""Publications of an API in memory, counted."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.services import republication
from abtest.services.leases import Lease
from abtest.services.publication import PublicationOutcome
from abtest.services.republication import LEASE_SECONDS
from tests.support.api import MemoryApi


class Publications:
    """Counts what is published; `outcome` replaces the publication."""

    def __init__(self, api: MemoryApi, monkeypatch: pytest.MonkeyPatch) -> None:
        publish = type(api.management.publication).publish
        self.count = 0
        self.outcome: PublicationOutcome | None = None

        def counted(publication: Any, shop_id: str) -> PublicationOutcome:
            self.count += 1
            return self.outcome or publish(publication, shop_id)

        monkeypatch.setattr(type(api.management.publication), "publish", counted)


def hang(api: MemoryApi, shop_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let another process hold the shop's publication, and renew its lease whenever the code under test waits."""
    lease = Lease(
        api.management.leases, f"republication#{shop_id}", owner="other", clock=api.clock, seconds=LEASE_SECONDS
    )
    assert lease.acquire()

    def sleep(seconds: float) -> None:
        api.clock.advance(seconds=seconds)
        lease.renew()

    monkeypatch.setattr(republication, "sleep", sleep)


def kill_holder(api: MemoryApi, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no one renew the lease of `hang` any more."""
    monkeypatch.setattr(republication, "sleep", lambda seconds: api.clock.advance(seconds=seconds))
