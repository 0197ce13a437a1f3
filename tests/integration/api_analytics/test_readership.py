"""Routes that show what is counted note that the shop is read."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.kit.clock import timestamp
from abtest.kit.errors import DatabaseBusyError
from tests.integration.api_analytics.conftest import Lab

SEGMENTS = ("results/segments", {"dimension": "device"})
OF_EXPERIMENT: tuple[tuple[str, dict[str, Any]], ...] = (
    ("results", {}),
    ("results/timeseries", {}),
    SEGMENTS,
    ("report", {}),
    ("health", {}),
)
OF_SHOP: tuple[tuple[str, dict[str, Any]], ...] = (
    ("overview", {}),
    ("stats", {}),
    ("data", {"metric": "visitors"}),
    ("funnel", {}),
    ("holdout", {}),
)


def is_noted(lab: Lab, path: str, query: dict[str, Any]) -> bool:
    """True if an answered request leaves a note, long after the last one."""
    lab.api.clock.advance(minutes=6)
    now = timestamp(lab.api.clock.now())
    assert lab.client.get(path, query=query).status == 200
    return lab.store.shops_read(now) == {lab.tenant.shop.id: now}


def test_routes__of_counts__note_that_the_shop_is_read(lab: Lab) -> None:
    experiment = lab.launched()
    assert all(is_noted(lab, f"/experiments/{experiment['id']}/{path}", query) for path, query in OF_EXPERIMENT)
    assert all(is_noted(lab, f"/analytics/{path}", query) for path, query in OF_SHOP)


def test_route__without_counts__notes_nothing(lab: Lab) -> None:
    assert not is_noted(lab, "/analytics/program", {})


def test_refresh__notes_that_the_shop_is_read(lab: Lab) -> None:
    experiment = lab.launched()
    assert lab.client.post(f"/experiments/{experiment['id']}/results/refresh").status == 202
    assert list(lab.store.shops_read("")) == [lab.tenant.shop.id]


def test_request__of_another_shop_without_a_key__notes_nothing(lab: Lab) -> None:
    experiment = lab.launched()
    assert lab.api.client("").get(f"/experiments/{experiment['id']}/results").status == 401
    assert lab.store.shops_read("") == {}


def test_results__with_a_store_that_takes_no_notes__are_answered(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_given: object, **_named: object) -> bool:
        raise DatabaseBusyError

    monkeypatch.setattr(lab.store, "note_read", busy)
    experiment = lab.launched()
    assert lab.results(experiment)["computed_at"] is None
