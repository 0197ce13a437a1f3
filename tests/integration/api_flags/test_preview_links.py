"""Preview links of flags: a value on the shop's own page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from abtest.domain.delivery.drafts import read_draft
from abtest.domain.preview.session import draft_key
from tests.support.api import MemoryApi, Tenant, claim_host
from tests.support.client import Client

URL = "https://shop.example/"
Create = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def _claimed(api: MemoryApi, tenant: Tenant) -> None:
    claim_host(api, tenant, "shop.example")


@pytest.mark.parametrize("body", [{}, {"value": "on"}, {"value": "off"}])
def test_link__of_a_draft__has_the_flag_as_if_it_were_active(
    api: MemoryApi, client: Client, create: Create, body: dict[str, Any]
) -> None:
    made = create("banner", environment_key="staging", rollout_percentage=0.5)
    answer = client.post("/flags/banner/preview-link", {"url": URL, **body}, query={"environment_key": "staging"})
    assert answer.status == 201, answer.body
    link = answer.json()
    blob = api.management.delivery.get(draft_key(link["session_id"]))
    assert blob is not None
    draft = read_draft(blob.content)
    (compiled,) = draft.config["flags"]
    assert (compiled["key"], compiled["below"], compiled["on"]) == ("banner", 5000, True)
    assert (draft.kind, draft.id, draft.shown, draft.environment) == (
        "flag",
        made["id"],
        body.get("value", "on"),
        "staging",
    )
    assert f"svc_preview={link['token']}" in link["url"]


def test_link__of_a_flag_for_servers__is_refused(client: Client, create: Create) -> None:
    made = create(delivery_type="api")
    answer = client.post(f"/flags/{made['id']}/preview-link", {"url": URL})
    assert (answer.status, answer.code, answer.paths) == (422, "validation_failed", ["delivery_type"])


@pytest.mark.parametrize("value", ["ON", "", None, True])
def test_link__with_another_value__is_400(client: Client, create: Create, value: object) -> None:
    answer = client.post(f"/flags/{create()['id']}/preview-link", {"url": URL, "value": value})
    assert (answer.status, answer.paths) == (400, ["value"])


def test_link__of_another_shops_flag__is_not_found(api: MemoryApi, create: Create) -> None:
    stranger = Client(api.handler, key=api.tenant("Stranger").admin)
    assert stranger.post(f"/flags/{create()['id']}/preview-link", {"url": URL}).status == 404


def test_link__to_a_page_elsewhere__is_refused(client: Client, create: Create) -> None:
    answer = client.post(f"/flags/{create()['id']}/preview-link", {"url": "https://other.example/"})
    assert (answer.status, answer.code) == (422, "url_not_allowed")
