"""QA of landing pages in tests: a version that is checked and approved."""

from __future__ import annotations

from typing import Any

from tests.support.client import Client


def checked(client: Client, page_id: str, **fields: Any) -> dict[str, Any]:
    """Return a QA run of a page, after its checks."""
    answer = client.post(f"/landing-pages/{page_id}/qa-runs", fields)
    assert answer.status == 202, answer.body
    run: dict[str, Any] = client.get(f"/landing-pages/{page_id}/qa-runs/{answer.json()['id']}").json()
    return run


def approved(client: Client, page_id: str, **fields: Any) -> dict[str, Any]:
    """Return an approved QA run of a page, by default of its current version."""
    run = checked(client, page_id, **fields)
    answer = client.post(f"/landing-pages/{page_id}/qa-runs/{run['id']}/approve")
    assert answer.status == 200, answer.body
    body: dict[str, Any] = answer.json()
    return body
