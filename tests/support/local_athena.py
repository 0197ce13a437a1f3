"""The local engine with everything that template.yaml declares, for tests that ask its Athena."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from abtest.adapters import aws
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.warehouse.athena import AthenaWarehouse
from abtest.adapters.warehouse.athena_client import AthenaQueries
from abtest.kit.ids import SystemRandomness
from tests.support.template import Stack
from tools.local.engine.process import Engine
from tools.local.provision.clients import CREDENTIALS, Clients
from tools.local.surroundings import machine_environment
from tools.local.template.intrinsics import REGION
from tools.local.testing import free_ports


@dataclass(frozen=True)
class LocalAthena:
    """A running engine: its queries, the ledger's bucket and the warehouse over both."""

    stack: Stack
    clients: Clients
    queries: AthenaQueries
    ledger: S3Blobs

    @property
    def warehouse(self) -> AthenaWarehouse:
        return AthenaWarehouse(queries=self.queries, ledger=self.ledger, bucket=self.stack.name("LedgerBucket"))

    def empty(self) -> None:
        """Remove every object of the ledger."""
        for entry in list(self.ledger.list("")):
            self.ledger.delete(entry.key)


@contextmanager
def local_athena(state: Path) -> Iterator[LocalAthena]:
    """An engine of one's own; fails with "run `make setup`" where it is not installed."""
    engine = Engine(state, free_ports(1)[0], state / "engine.log", machine_environment())
    engine.launch()
    try:
        asyncio.run(engine.ready())
        with pytest.MonkeyPatch.context() as monkeypatch:
            variables = {**CREDENTIALS, "AWS_DEFAULT_REGION": REGION, "AWS_ENDPOINT_URL": engine.endpoint}
            for name, value in variables.items():
                monkeypatch.setenv(name, value)
            aws.reset()
            yield _made(engine.endpoint)
    finally:
        aws.reset()
        asyncio.run(engine.stop())


def _made(endpoint: str) -> LocalAthena:
    clients, stack = Clients(endpoint), Stack.planned(endpoint=endpoint)
    for _ in range(2):  # a stack that starts again finds what it made
        stack.create(clients)
    database, workgroup = stack.name("LedgerDatabase"), stack.name("LedgerQueries")
    queries = AthenaQueries(database=database, workgroup=workgroup, random=SystemRandomness(), pause=_briefly)
    return LocalAthena(stack=stack, clients=clients, queries=queries, ledger=S3Blobs(stack.name("LedgerBucket")))


def _briefly(_seconds: float) -> None:
    """The engine answers within tenths of a second, and faster where nobody asks it all the time."""
    time.sleep(0.02)
