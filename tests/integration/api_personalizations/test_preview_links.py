"""Preview links of personalizations: an experience on the shop's own page."""

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


@pytest.fixture
def made(client: Client, create: Create) -> dict[str, Any]:
    made = create()
    answer = client.post(f"/personalizations/{made['id']}/experiences", {"key": "vip", "custom_js": "return 2"})
    assert answer.status == 201, answer.body
    seen: dict[str, Any] = client.get(f"/personalizations/{made['id']}").json()
    return seen


@pytest.mark.parametrize(("named", "shown"), [(None, "default"), ("vip", "vip"), ("id", "vip")])
def test_link__of_a_draft__has_it_as_if_it_were_active(
    api: MemoryApi, client: Client, made: dict[str, Any], named: str | None, shown: str
) -> None:
    experiences = {each["key"]: each["id"] for each in made["experiences"]}
    body = {} if named is None else {"experience": experiences["vip"] if named == "id" else named}
    answer = client.post(f"/personalizations/{made['id']}/preview-link", {"url": URL, **body})
    assert answer.status == 201, answer.body
    blob = api.management.delivery.get(draft_key(answer.json()["session_id"]))
    assert blob is not None
    draft = read_draft(blob.content)
    (compiled,) = draft.config["personalizations"]
    assert [each["key"] for each in compiled["experiences"]] == ["default", "vip"]
    assert (draft.kind, draft.id, draft.shown, draft.status) == ("personalization", made["id"], shown, "draft")
    assert "return 2" in draft.functions


def test_link__of_an_unknown_experience__is_not_found(client: Client, made: dict[str, Any]) -> None:
    answer = client.post(f"/personalizations/{made['id']}/preview-link", {"url": URL, "experience": "gold"})
    assert (answer.status, answer.code) == (404, "not_found")


def test_link__of_another_shops__is_not_found(api: MemoryApi, made: dict[str, Any]) -> None:
    stranger = Client(api.handler, key=api.tenant("Stranger").admin)
    assert stranger.post(f"/personalizations/{made['id']}/preview-link", {"url": URL}).status == 404


def test_link__to_a_page_elsewhere__is_refused(client: Client, made: dict[str, Any]) -> None:
    answer = client.post(f"/personalizations/{made['id']}/preview-link", {"url": "https://other.example/"})
    assert (answer.status, answer.code) == (422, "url_not_allowed")
