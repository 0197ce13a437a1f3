"""Every port on every engine: memory, moto in this process, ministack over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from typing import Protocol

import pytest

from abtest.adapters import aws
from abtest.adapters.dynamo import (
    DynamoAuditStore,
    DynamoCatalog,
    DynamoDeliveryStore,
    DynamoIdempotency,
    DynamoLeases,
    DynamoLookStore,
    DynamoRateLimiter,
    DynamoRollupStore,
    DynamoSessions,
)
from abtest.adapters.kms import KmsSealer
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.s3.asset_files import S3AssetFiles
from abtest.adapters.sqs import SqsQueue
from abtest.kit.clock import ManualClock
from abtest.ports.asset_files import AssetFiles, StoredFiles
from abtest.ports.audit import AuditStore
from abtest.ports.blobs import Blobs
from abtest.ports.catalog import Catalog
from abtest.ports.deliveries import DeliveryStore
from abtest.ports.limits import Idempotency, Leases, RateLimiter, Sessions
from abtest.ports.looks import LookStore
from abtest.ports.queue import Queue
from abtest.ports.rollup_store import RollupStore
from abtest.ports.sealer import Sealer
from tests.contract.records import START
from tests.support.memory import (
    MemoryAssetFiles,
    MemoryAuditStore,
    MemoryBlobs,
    MemoryCatalog,
    MemoryDeliveryStore,
    MemoryIdempotency,
    MemoryLeases,
    MemoryLookStore,
    MemoryQueue,
    MemoryRateLimiter,
    MemoryRollupStore,
    MemorySessions,
)
from tests.support.moto_stack import created_stack, enter_moto, keep_clients_of, mocked
from tests.support.template import Stack
from tools.local.engine.process import Engine as Process
from tools.local.provision.clients import CREDENTIALS, Clients
from tools.local.surroundings import machine_environment
from tools.local.template.intrinsics import REGION
from tools.local.testing import free_ports

TABLES = ("CatalogTable", "EphemeralTable", "RollupsTable", "DeliveriesTable")
USED = {*TABLES, "BlobsBucket", "EventQueue", "EventQueueDeadLetters", "WebhookKey"}
"""Resources behind the ports. Creating the others takes longer than most tests."""

_stacks = count(1)


class BothAssetFiles(AssetFiles, StoredFiles, Protocol):
    """The bucket of assets for those who write and for those who read."""


@dataclass(frozen=True)
class Ports:
    """All ports as one process holds them; `another` is a second process before the same stores."""

    catalog: Catalog
    audit: AuditStore
    blobs: Blobs
    asset_files: BothAssetFiles
    queue: Queue
    limiter: RateLimiter
    idempotency: Idempotency
    leases: Leases
    sessions: Sessions
    rollup_store: RollupStore
    look_store: LookStore
    deliveries: DeliveryStore
    clock: ManualClock
    """What the sealer goes by."""

    sealer: Sealer | None = None
    """Nothing seals in memory: what cannot keep a secret should not look as if it could."""

    again: Callable[[], Ports] | None = None
    names: tuple[str, ...] = ()
    """Resources, for processes of their own: catalog, blobs, ephemeral, roll-ups."""

    deliveries_table: str = ""

    def another(self) -> Ports:
        """Fresh adapters before the same stores; in memory the stores are the adapters."""
        return self.again() if self.again else self


Engine = Callable[[], AbstractContextManager[Ports]]
"""Opens stores that hold nothing yet."""


@pytest.fixture(scope="session", params=["memory", "moto", "ministack"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """One engine at a time: pytest runs all tests of one before it comes to the next."""
    with ENGINES[request.param](request) as opened:
        yield opened


@pytest.fixture
def ports(engine: Engine) -> Iterator[Ports]:
    """The ports, empty."""
    with engine() as found:
        yield found


@pytest.fixture
def interrupted(ports: Ports) -> Iterator[Ports]:
    """Ports whose connection a test may spoil: it is theirs alone."""
    aws.reset()
    yield ports
    aws.reset()


@contextmanager
def _memory(_: pytest.FixtureRequest) -> Iterator[Engine]:
    yield _memory_ports


@contextmanager
def _memory_ports() -> Iterator[Ports]:
    catalog = MemoryCatalog()
    yield Ports(
        catalog=catalog,
        audit=MemoryAuditStore(catalog),
        blobs=MemoryBlobs(),
        asset_files=MemoryAssetFiles(),
        queue=MemoryQueue(),
        limiter=MemoryRateLimiter(),
        idempotency=MemoryIdempotency(),
        leases=MemoryLeases(),
        sessions=MemorySessions(),
        rollup_store=MemoryRollupStore(),
        look_store=MemoryLookStore(),
        deliveries=MemoryDeliveryStore(),
        clock=ManualClock(START),
    )


@contextmanager
def _moto(_: pytest.FixtureRequest) -> Iterator[Engine]:
    yield _moto_ports


@contextmanager
def _moto_ports() -> Iterator[Ports]:
    # Entered for each test: an engine stays open while its process runs the tests of other folders.
    with pytest.MonkeyPatch.context() as monkeypatch:
        enter_moto(monkeypatch)
        with mocked() as clients:
            yield _aws_ports(created_stack(clients).name)


@contextmanager
def _ministack(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """A process of this session's own. Fails with "run `make setup`" where the engine is not installed."""
    state: Path = request.getfixturevalue("tmp_path_factory").mktemp("ministack")
    process = Process(state, free_ports(1)[0], state / "engine.log", machine_environment())
    process.launch()
    try:
        asyncio.run(process.ready())
        with _entered_ministack(process.endpoint):
            clients = Clients(process.endpoint)
        yield partial(_ministack_ports, clients, process.endpoint)
    finally:
        aws.reset()
        asyncio.run(process.stop())


@contextmanager
def _entered_ministack(endpoint: str) -> Iterator[None]:
    variables = {**CREDENTIALS, "AWS_DEFAULT_REGION": REGION, "AWS_ENDPOINT_URL": endpoint}
    with pytest.MonkeyPatch.context() as monkeypatch:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        yield


@contextmanager
def _ministack_ports(clients: Clients, endpoint: str) -> Iterator[Ports]:
    with _entered_ministack(endpoint):
        keep_clients_of(endpoint)
        stack = Stack.planned(endpoint=endpoint, suffix=f"-{next(_stacks)}").only(USED)
        stack.create(clients)
        yield _aws_ports(stack.name)


ENGINES: dict[str, Callable[[pytest.FixtureRequest], AbstractContextManager[Engine]]] = {
    "memory": _memory,
    "moto": _moto,
    "ministack": _ministack,
}


def _aws_ports(name: Callable[[str], str]) -> Ports:
    clock = ManualClock(START)
    blobs = S3Blobs(name("BlobsBucket"))
    ephemeral = name("EphemeralTable")
    return Ports(
        catalog=DynamoCatalog(name("CatalogTable"), blobs),
        audit=DynamoAuditStore(name("CatalogTable")),
        blobs=blobs,
        asset_files=S3AssetFiles(name("BlobsBucket")),
        queue=SqsQueue(name("EventQueue")),
        limiter=DynamoRateLimiter(ephemeral),
        idempotency=DynamoIdempotency(ephemeral),
        leases=DynamoLeases(ephemeral),
        sessions=DynamoSessions(ephemeral),
        rollup_store=DynamoRollupStore(name("RollupsTable")),
        look_store=DynamoLookStore(name("RollupsTable")),
        deliveries=DynamoDeliveryStore(name("DeliveriesTable")),
        clock=clock,
        sealer=KmsSealer(name("WebhookKey"), clock),
        again=lambda: _aws_ports(name),
        names=(name("CatalogTable"), name("BlobsBucket"), ephemeral, name("RollupsTable")),
        deliveries_table=name("DeliveriesTable"),
    )
