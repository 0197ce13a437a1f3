"""Preview links of variations: the shop's own page with a token, and the draft as it was when the link was made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from abtest.domain.credentials.preview import InvalidPreviewTokenError, read_token
from abtest.domain.delivery.chunks import INLINE_BYTES
from abtest.domain.delivery.drafts import Draft, read_draft
from abtest.domain.preview.session import draft_key, file_key
from abtest.domain.settings.external_tracking import ExternalTracking
from abtest.domain.settings.runtime import EXTERNAL_TRACKING
from abtest.kit.documents import encode
from tests.support.api import ROOTS, MemoryApi, Tenant, claim_host
from tests.support.client import Client
from tests.support.delivered import keep_document

URL = "https://shop.example/lamps?a=1&b=%20#top"
MISSING = "0192a3b4-0000-7000-8000-0000000000ee"
BLUE = "h1{color:blue}"
VARIATIONS = [
    {"name": "Control", "weight": 0.5, "is_control": True},
    {"name": "Blue", "weight": 0.5, "is_control": False, "custom_css": BLUE, "custom_js": "return 1"},
]
Create = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def _claimed(api: MemoryApi, tenant: Tenant) -> None:
    claim_host(api, tenant, "shop.example")


@pytest.fixture
def made(create: Create) -> dict[str, Any]:
    return create(variations=VARIATIONS)


def path_of(made: dict[str, Any], position: int = 1) -> str:
    return f"/experiments/{made['id']}/variations/{made['variations'][position]['id']}/preview-link"


def linked(client: Client, made: dict[str, Any], **body: Any) -> dict[str, Any]:
    answer = client.post(path_of(made), {"url": URL, **body})
    assert answer.status == 201, answer.body
    link: dict[str, Any] = answer.json()
    return link


def draft_of(api: MemoryApi, link: dict[str, Any]) -> Draft:
    blob = api.management.delivery.get(draft_key(link["session_id"]))
    assert blob is not None
    return read_draft(blob.content)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (URL, "https://shop.example/lamps?a=1&b=%20&svc_preview={token}#top"),
        ("https://shop.example", "https://shop.example/?svc_preview={token}"),
        ("https://shop.example/?", "https://shop.example/?svc_preview={token}"),
        (
            "https://shop.example/?svc_preview=old&x&svc%5Fpreview=b&&y=%2B",
            "https://shop.example/?x&&y=%2B&svc_preview={token}",
        ),
        (
            "https://shop.example/caf\u00e9?q=\u00e9#s=\u00e9",
            "https://shop.example/caf%C3%A9?q=%C3%A9&svc_preview={token}#s=%C3%A9",
        ),
    ],
)
def test_link__of_a_page__is_its_address_with_the_token(
    client: Client, made: dict[str, Any], url: str, expected: str
) -> None:
    link = linked(client, made, url=url)
    assert link["url"] == expected.format(token=link["token"])


def test_link__read_by_its_token__grants_one_variation_of_one_version(
    api: MemoryApi, client: Client, made: dict[str, Any]
) -> None:
    link = linked(client, made, ttl_seconds=60)
    now = int(api.clock.now().timestamp())
    grant = read_token(ROOTS, link["token"], now, audience="storefront")
    assert (grant.session_id, list(grant.hosts)) == (link["session_id"], ["shop.example"])
    assert (grant.experiment_id, grant.variation_id, grant.version) == (made["id"], made["variations"][1]["id"], 1)
    assert link["expires_at"] == "2026-03-02T09:01:00.000Z"
    with pytest.raises(InvalidPreviewTokenError):
        read_token(ROOTS, link["token"], now)
    opened = client.post("/previews", {"url": URL}).json()
    with pytest.raises(InvalidPreviewTokenError):
        read_token(ROOTS, opened["token"], now, audience="storefront")


def test_link__of_a_shop_with_handover__has_those_domains_behind_its_own_hosts(
    api: MemoryApi, tenant: Tenant, client: Client, made: dict[str, Any]
) -> None:
    claim_host(api, tenant, "www.shop.example")
    domains = tuple(f"pay{number}.example" for number in range(12))
    setting = encode(ExternalTracking(domains=domains))
    keep_document(api.management.catalog, "SET", EXTERNAL_TRACKING, setting, shop_id=tenant.shop.id)
    link = linked(client, made, url="https://www.shop.example/")
    hosts = client.get(f"/previews/{link['session_id']}").json()["allowed_hosts"]
    assert hosts == ["www.shop.example", "shop.example", *domains[:8]]


def test_link__of_a_draft__has_it_compiled_as_if_it_ran(api: MemoryApi, client: Client, create: Create) -> None:
    rules = {"pageRules": [{"id": MISSING, "includeRules": [{"type": "simple", "pattern": "/x"}], "excludeRules": []}]}
    made = create(variations=VARIATIONS, traffic_allocation=0.1, targeting=rules)
    draft = draft_of(api, linked(client, made))
    (compiled,) = draft.config["experiments"]
    assert compiled["id"] == made["id"]
    assert [each["name"] for each in compiled["variations"]] == ["Control", "Blue"]
    assert compiled["variations"][1]["range"] == [5000, 5500]
    assert compiled["pages"]
    assert BLUE in draft.part
    assert draft.functions == "[function(){\nreturn 1\n}]"
    assert (draft.kind, draft.status, draft.version) == ("experiment", "draft", 1)
    assert draft.shown == compiled["variations"][1]["id"]
    assert draft.names == {made["id"]: "Headline", **{each["id"]: each["name"] for each in made["variations"]}}


@pytest.mark.parametrize("action", ["archive", "start-qa"])
def test_link__of_an_experiment_in_any_state__is_made(
    api: MemoryApi, client: Client, made: dict[str, Any], action: str
) -> None:
    answer = client.post(f"/experiments/{made['id']}/{action}", {})
    assert answer.status == 200, answer.body
    draft = draft_of(api, linked(client, made))
    assert draft.config["experiments"][0]["id"] == made["id"]
    assert draft.status == {"archive": "archived", "start-qa": "qa"}[action]


def test_link__after_a_change_and_a_deletion__keeps_the_design_that_it_was_made_of(
    api: MemoryApi, client: Client, made: dict[str, Any]
) -> None:
    link = linked(client, made)
    before = draft_of(api, link)
    client.patch(f"/variations/{made['variations'][1]['id']}", {"custom_css": "h1{color:red}"})
    assert draft_of(api, linked(client, made)).version == 2
    assert client.delete(f"/experiments/{made['id']}").status == 204
    assert draft_of(api, link) == before
    assert client.get(f"/previews/{link['session_id']}").status == 200


def test_link__of_long_code__has_it_in_a_file_of_its_session(api: MemoryApi, client: Client, create: Create) -> None:
    long = f"window.shown = {'1' * INLINE_BYTES};"
    made = create(variations=[VARIATIONS[0], {**VARIATIONS[1], "custom_js": long}])
    link = linked(client, made)
    draft = draft_of(api, link)
    name = draft.functions.strip('["]')
    assert name.startswith(f"{link['session_id']}-")
    assert '"assets_url":"https://edge.test/s/' in draft.part
    blob = api.management.delivery.get(file_key(link["session_id"], f"{name}.js"))
    assert blob is not None
    assert blob.content.startswith(f'svc.chunk("{name}",'.encode())


def test_link__seen_and_revoked_as_a_session__is_that_of_a_storefront(client: Client, made: dict[str, Any]) -> None:
    link = linked(client, made)
    path = f"/previews/{link['session_id']}"
    seen = client.get(path).json()
    assert (seen["opens"], seen["preview_url"], seen["token"]) == ("storefront", link["url"], link["token"])
    assert (seen["experiment_id"], seen["variation_id"]) == (made["id"], made["variations"][1]["id"])
    assert client.post("/previews", {"url": URL}).json()["opens"] == "proxy"
    assert client.delete(path).status == 204
    assert client.get(path).status == 404


@pytest.mark.parametrize(
    ("url", "code"),
    [("https://other.example/", "url_not_allowed"), ("http://shop.example/", "url_not_allowed")],
)
def test_link__to_a_page_elsewhere__is_refused(client: Client, made: dict[str, Any], url: str, code: str) -> None:
    answer = client.post(path_of(made), {"url": url})
    assert (answer.status, answer.code, answer.paths) == (422, code, ["url"])


def test_link__of_an_archived_variation__is_refused(client: Client, create: Create) -> None:
    third = {"name": "Third", "weight": 0, "is_control": False}
    made = create(variations=[*VARIATIONS, third])
    assert client.post(f"/experiments/{made['id']}/variations/{made['variations'][2]['id']}/archive").status == 200
    answer = client.post(path_of(made, 2), {"url": URL})
    assert (answer.status, answer.code, answer.paths) == (422, "validation_failed", ["variation_id"])


def test_link__of_what_the_shop_lacks__is_not_found(api: MemoryApi, client: Client, made: dict[str, Any]) -> None:
    other = api.tenant("Other")
    claim_host(api, other, "other.example")
    stranger = Client(api.handler, key=other.admin)
    assert stranger.post(path_of(made), {"url": "https://other.example/"}).status == 404
    assert client.post(f"/experiments/{made['id']}/variations/{MISSING}/preview-link", {"url": URL}).status == 404


@pytest.mark.parametrize("body", [{}, {"url": "x"}, {"url": URL, "ttl_seconds": 59}, {"url": URL, "ttl_seconds": 7201}])
def test_link__bad_body__is_400(client: Client, made: dict[str, Any], body: dict[str, Any]) -> None:
    answer = client.post(path_of(made), body)
    assert (answer.status, answer.code) == (400, "invalid_request")
