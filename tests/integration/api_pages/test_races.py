"""Versions of one page that several people write at once."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.landing import page as spec_with

SPEC = spec_with("text")
WRITERS = 4


def test_create_version__by_several_at_once__numbers_each_once_and_loses_none(
    api: MemoryApi, tenant: Tenant, client: Client
) -> None:
    page = client.post("/landing-pages", {"name": "Lamp", "slug": "lamp"}).json()
    path = f"/landing-pages/{page['id']}"

    def write(_: int) -> dict[str, Any]:
        with closing(asyncio.new_event_loop()) as loop:  # handlers run in the loop of their thread
            asyncio.set_event_loop(loop)
            answer = api.client(tenant.admin).post(f"{path}/versions", {"spec": SPEC})
        assert answer.status == 201, answer.body
        return dict(answer.json())

    with ThreadPoolExecutor(WRITERS) as threads:
        made = list(threads.map(write, range(WRITERS)))
    assert sorted(version["version_number"] for version in made) == list(range(1, WRITERS + 1))
    shown = client.get(path).json()
    last = max(made, key=lambda version: version["version_number"])
    assert shown["current_version_id"] == last["id"]
    assert {version["id"] for version in shown["versions"]} == {version["id"] for version in made}
    for version in made:
        assert client.get(f"{path}/versions/{version['version_number']}").json()["id"] == version["id"]
