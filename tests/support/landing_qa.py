"""QA of landing pages in tests: a version that is checked and approved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.client import Client


def nothing() -> None:
    """Do nothing: in memory the worker ends checks by itself."""


def checked(client: Client, page_id: str, work: Callable[[], object] = nothing, **fields: Any) -> dict[str, Any]:
    """Return a QA run of a page, after its checks, which `work` brings to their end."""
    answer = client.post(f"/landing-pages/{page_id}/qa-runs", fields)
    assert answer.status == 202, answer.body
    work()
    run: dict[str, Any] = client.get(f"/landing-pages/{page_id}/qa-runs/{answer.json()['id']}").json()
    return run


def approved(client: Client, page_id: str, work: Callable[[], object] = nothing, **fields: Any) -> dict[str, Any]:
    """Return an approved QA run of a page, by default of its current version."""
    run = checked(client, page_id, work, **fields)
    answer = client.post(f"/landing-pages/{page_id}/qa-runs/{run['id']}/approve")
    assert answer.status == 200, answer.body
    body: dict[str, Any] = answer.json()
    return body
