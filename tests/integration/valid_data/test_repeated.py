"""Every operation with an Idempotency-Key, repeated after its commit was applied and the store failed: done once.

The requests are those of test_accepted.py. A new route takes part without a line here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from abtest.kit.errors import DatabaseBusyError
from abtest.ports.catalog import Commit
from tests.integration.bad_input.conftest import OPERATIONS, Operation, World
from tests.integration.valid_data.requests import BEFORE, LINKS, PREVIEW_LINKS
from tests.support.client import Answer
from tests.support.memory import MemoryCatalog
from tests.support.valid_data import assert_accepted

REPEATABLE = [op for op in OPERATIONS if any(each["name"] == "Idempotency-Key" for each in op.parameters("header"))]
NOT_IN_CATALOG = {"createPreview", "createLandingPagePreview", *PREVIEW_LINKS}
"""Creations that commit nothing: a preview is a session, and its repetition replaces it."""

PUBLISHED = {"PUB", "USED", "LPP"}
"""Kinds of records that a repeated publication may write again: it is a second commit that completes a publish."""


class Unsure:
    """A catalog whose next commit is applied, and then fails as a store does that stops before it answers."""

    def __init__(self, catalog: MemoryCatalog) -> None:
        self._catalog = catalog
        self._commit = catalog.commit
        self.left: Mapping[str, Any] | None = None
        """Return the stored state at the moment of the failure."""

    def commit(self, change: Commit) -> None:
        self._commit(change)
        # Without an audit row it is a note, such as the last use of a key, which may be lost.
        if self.left is None and change.audit:
            self.left = self.stored()
            raise DatabaseBusyError

    def stored(self) -> Mapping[str, Any]:
        """Versions of all records, and the ids of all audit rows and events."""
        catalog = self._catalog
        records = {key: head.version for key, (head, _) in catalog._records.items() if key[1] not in PUBLISHED}
        return {"records": records, "audit": catalog.audit_ids()}


@pytest.mark.parametrize("operation", REPEATABLE, ids=str)
def test_operation__repeated_after_an_unknown_outcome__is_done_once(
    untouched: World, operation: Operation, monkeypatch: pytest.MonkeyPatch
) -> None:
    client, name = untouched.client(operation), operation.details["operationId"]
    ids = {**untouched.my_ids, **(BEFORE[name](client, untouched.my_ids) if name in BEFORE else {})}
    catalog = untouched.api.management.catalog
    unsure = Unsure(catalog)
    last: list[Answer] = []

    def send(case: Any) -> tuple[int, bytes]:
        body = case.body if isinstance(case.body, dict | list) else None
        if name in LINKS and isinstance(body, dict):
            body |= LINKS[name](client, ids)
        version = {"If-Match": "*"} if operation.method != "POST" else {}
        headers = {"Idempotency-Key": f"{name} {len(last)}", **version}
        with monkeypatch.context() as patched:
            patched.setattr(catalog, "commit", unsure.commit)
            answer = untouched.call(client, operation, ids, json_body=body, query=case.query, headers=headers)
        # A publication on demand answers that it failed, so its outcome is known.
        if answer.status == 503:
            assert answer.code == "database_busy"
            answer = untouched.call(client, operation, ids, json_body=body, query=case.query, headers=headers)
        last.append(answer)
        return answer.status, answer.body

    assert_accepted(operation.method, operation.path, send)
    if last[-1].status == 201 and name not in NOT_IN_CATALOG:
        assert unsure.left is not None
    if unsure.left is not None:
        assert unsure.stored() == unsure.left
