"""Filters of lists: those of the decisions on each list of resources, and named in its reference."""

from __future__ import annotations

import pytest

from tests.support.openapi import contract

LISTS = [
    (path, operation)
    for method, path, operation in contract().operations()
    if method == "GET" and any(parameter["name"] == "cursor" for parameter in operation.get("parameters", ()))
]
BY_NAME, BY_TIME = {"q", "updated_since", "sort"}, {"updated_since", "sort"}
WITHOUT_NAMES = {"/exports", "/screenshots", "/webhooks"}
# Lists of parts and of records that are written once have filters of their own, if any.
WITHOUT = {
    "/analytics/overview",
    "/analytics/quarantine",
    "/audit-logs",
    "/audit-logs/seals",
    "/experiments/{experiment_id}/approvals",
    "/experiments/{experiment_id}/goals",
    "/experiments/{experiment_id}/history",
    "/experiments/{experiment_id}/variations",
    "/inbox/messages",
    "/landing-pages/{landing_page_id}/publishes",
    "/landing-pages/{landing_page_id}/qa-runs",
    "/landing-pages/{landing_page_id}/versions",
    "/pages/{page_id}/consumers",
    "/personalizations/{personalization_id}/experiences",
    "/webhook-events",
    "/workspace/files",
    "/webhooks/{webhook_id}/deliveries",
}
HAVING_STATUS = {
    "/content-briefs",
    "/experiments",
    "/exports",
    "/flags",
    "/landing-pages",
    "/personalizations",
    "/screenshots",
    "/settings/data-layer-triggers",
}
HAVING_ARCHIVED = {
    "/api-keys",
    "/assets",
    "/backlog/ideas",
    "/content-briefs",
    "/experiments",
    "/flags",
    "/goals",
    "/landing-pages",
    "/personalizations",
    "/webhooks",
}


@pytest.mark.parametrize(("path", "operation"), LISTS, ids=[path for path, _ in LISTS])
def test_list__filters__are_those_of_lists_and_in_the_reference(path: str, operation: dict[str, object]) -> None:
    names = {parameter["name"] for parameter in contract().document["paths"][path]["get"]["parameters"]}
    filters = names - {"cursor", "limit", "If-None-Match"} - set(_of_the_path(path))
    if path not in WITHOUT:
        assert filters >= (BY_TIME if path in WITHOUT_NAMES else BY_NAME)
    assert ("q" in filters) == (path not in WITHOUT | WITHOUT_NAMES)
    assert ("status" in filters) == (path in HAVING_STATUS or path == "/webhooks/{webhook_id}/deliveries")
    assert path not in HAVING_ARCHIVED or "archived" in filters
    described = str(operation["description"])
    assert all(f"`{name}`" in described for name in filters)
    assert ("This list has no filters." in described) == (not filters)


def _of_the_path(path: str) -> list[str]:
    return [part.strip("{}") for part in path.split("/") if part.startswith("{")]
