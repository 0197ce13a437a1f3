"""The local engine of one benchmark, which is removed afterwards."""

import asyncio
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.local.engine.process import Engine
from tools.local.provision.clients import CREDENTIALS, Clients
from tools.local.surroundings import machine_environment
from tools.local.template.intrinsics import REGION
from tools.local.testing import free_ports

NO_SNAPSHOTS = 24 * 3600.0
"""Seconds between snapshots: none while a benchmark measures."""


@contextmanager
def local_engine() -> Iterator[tuple[Clients, str]]:
    """Start an engine, and point this process to it. Yields its clients and its address."""
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        log = state / "engine.log"
        engine = Engine(state, free_ports(1)[0], log, machine_environment(), snapshot_seconds=NO_SNAPSHOTS)
        engine.launch()
        try:
            asyncio.run(engine.ready())
            os.environ.update({**CREDENTIALS, "AWS_DEFAULT_REGION": REGION, "AWS_ENDPOINT_URL": engine.endpoint})
            yield Clients(engine.endpoint), engine.endpoint
        finally:
            asyncio.run(engine.stop())
