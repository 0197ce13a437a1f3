"""Tags, the check of a page over real TLS, and the pixel, through real Lambda events."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme

from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.domain.egress.targets import PublicOnly
from abtest.http.factory import create_app, handler
from abtest.services.last_seen import LastSeen
from abtest.services.settings.installation import Pages
from abtest.wiring.api_settings import settings_uses
from api_settings.routes import ROUTERS
from tests.support.api import START, MemoryApi, Tenant
from tests.support.client import Answer, Client
from tests.support.memory import MemorySessions
from tests.unit.outbound_http.servers import PUBLIC_ADDRESS, Net, answer, certified, listening, says

EDGE = "https://edge.test"
STOREFRONT = (Path(__file__).parents[3] / "docs" / "storefront.md").read_text()
(LIMITED,) = re.findall(r"```html\n(<script async blocking=.*?)```", STOREFRONT, re.DOTALL)
NAME = "shop.example"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def net() -> Net:
    names = (NAME, "www.shop.example", "other.example", "stage.example")
    return Net(names={name: [PUBLIC_ADDRESS] for name in names})


@pytest.fixture
def sessions() -> MemorySessions:
    return MemorySessions()


@pytest.fixture
def api(net: Net, authority: trustme.CA, sessions: MemorySessions) -> MemoryApi:
    """The family, whose requests go into the net of the test."""
    api = MemoryApi(ROUTERS)
    pages = Pages(sender=net.sender(authority, limits=Limits(seconds=5, body_bytes=200_000)), rules=PublicOnly())
    uses = settings_uses(api.management, sessions, pages)
    api.handler = handler(create_app(ROUTERS, api.management.services(uses)))
    return api


@pytest.fixture
def tags(tenant: Tenant) -> str:
    src = f"{EDGE}/s/{tenant.shop.id}.js"
    return f'<link rel="preconnect" href="{EDGE}"><script src="{src}"></script>'


Serve = Callable[..., None]


@pytest.fixture
def serve(net: Net, authority: trustme.CA) -> Iterator[Serve]:
    """Makes the shop's hosts answer with this."""
    places: dict[bytes, bytes] = {}

    def talk(connection: socket.socket, head: bytes) -> None:
        connection.sendall(places[b""])

    with listening(talk, certified(authority, *net.names)) as (port, _):
        net.ports[PUBLIC_ADDRESS] = port

        def answered(body: str = "", status: str = "200 OK", **headers: str) -> None:
            stated = {"Content_Type": "text/html; charset=utf-8", **headers}
            places[b""] = answer(status, body.encode(), **stated)

        yield answered


def verify(client: Client, url: str = f"https://{NAME}/") -> Answer:
    return client.post("/settings/install/verify", {"url": url})


def test_install__of_a_new_shop__gives_tags_and_knows_of_nothing(client: Client, tenant: Tenant) -> None:
    found = client.get("/settings/install")
    src = f"{EDGE}/s/{tenant.shop.id}.js"
    body = found.json()
    tags = {tag["name"]: tag["html"] for tag in body.pop("tags")}
    assert list(tags) == ["bounded", "synchronous", "asynchronous"]
    assert list(tags.values()) == [
        f"{body['preconnect_tag']}\n{body[field]}" for field in ("bounded_tag", "snippet_tag", "async_tag")
    ]
    assert (found.status, body) == (
        200,
        {
            "snippet_tag": f'<script src="{src}"></script>',
            "preconnect_tag": f'<link rel="preconnect" href="{EDGE}">',
            "async_tag": f'<script async src="{src}"></script>',
            "bounded_tag": LIMITED.replace("https://<snippet host>/s/<shop id>.js", src).strip(),
            "shop_id": tenant.shop.id,
            "verified_at": None,
            "last_seen_at": None,
        },
    )


def test_verify__each_tag_as_it_is_recommended__is_found_by_its_name(client: Client, serve: Serve) -> None:
    for tag in client.get("/settings/install").json()["tags"]:
        serve(f"<head><meta charset=utf-8>{tag['html']}<link rel=stylesheet href=a.css></head>")
        result = verify(client).json()
        assert (result["tag"], result["errors"]) == (tag["name"], [])
        assert re.fullmatch(r"[A-Z].+: .+\.", tag["when"])


def test_install__after_events__says_when_they_arrived(
    client: Client, tenant: Tenant, sessions: MemorySessions
) -> None:
    milliseconds = int(START.timestamp() * 1000) - 60_000
    LastSeen(sessions=sessions).note([(tenant.shop.id, milliseconds), (tenant.shop.id, milliseconds - 5)])
    assert client.get("/settings/install").json()["last_seen_at"] == "2026-03-02T08:59:00.000Z"


def test_verify__page_with_the_tags__is_found_kept_and_audited(
    api: MemoryApi, client: Client, tenant: Tenant, serve: Serve, tags: str
) -> None:
    serve(f"<head>{tags}</head>")
    found = verify(client)
    assert (found.status, found.json()) == (
        200,
        {"found": True, "surface": "storefront", "tag": "synchronous", "async": False, "errors": []},
    )
    assert client.get("/settings/install").json()["verified_at"] == "2026-03-02T09:00:00.000Z"
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=None, limit=10)
    assert [row.action for row in rows].count("settings.verify_install") == 1
    api.clock.advance(minutes=1)
    serve("<head></head>")
    assert verify(client).json()["found"] is False
    assert client.get("/settings/install").json()["verified_at"] == "2026-03-02T09:00:00.000Z"
    serve(f"<head>{tags}</head>")
    assert verify(client).json()["found"] is True
    assert client.get("/settings/install").json()["verified_at"] == "2026-03-02T09:01:00.000Z"


def test_verify__address_with_a_password__is_audited_without(
    api: MemoryApi, client: Client, tenant: Tenant, serve: Serve, tags: str
) -> None:
    serve(f"<head>{tags}</head>")
    assert verify(client, f"https://{NAME}/new?key=hunter2#hunter3").json()["found"] is True
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=None, limit=10)
    diffs = [row.diff for row in rows if row.action == "settings.verify_install"]
    assert [diff["url"] for diff in diffs] == [[None, f"https://{NAME}/new"]]


def test_verify__async_tag_of_a_checkout__is_told(client: Client, tenant: Tenant, serve: Serve, tags: str) -> None:
    serve(f"<head>{tags.replace('<script', '<script async data-surface=checkout')}</head>")
    assert verify(client).json() == {
        "found": True,
        "surface": "checkout",
        "tag": "asynchronous",
        "async": True,
        "errors": [],
    }


def test_verify__policy_in_a_header_that_blocks__is_told_and_not_kept(client: Client, serve: Serve, tags: str) -> None:
    serve(f"<head>{tags}</head>", Content_Security_Policy="default-src 'self'")
    found = verify(client).json()
    assert (found["found"], len(found["errors"])) == (True, 2)
    assert client.get("/settings/install").json()["verified_at"] is None


@pytest.mark.parametrize(
    ("status", "headers", "told"),
    [
        ("404 Not Found", {}, "answers 404"),
        ("500 Oops", {}, "answers 500"),
        ("401 Unauthorized", {}, "password"),
        ("403 Forbidden", {}, "abtest-install-check"),
        ("200 OK", {"Content_Type": "application/json"}, "application/json"),
        ("302 Found", {"Location": "/"}, "redirects more than 3 times"),
        ("302 Found", {"Location": "https://gone.example/"}, "does not resolve"),
        ("200 OK", {"Content_Encoding": "br"}, "HTTP"),
    ],
)
def test_verify__what_is_no_page__says_what_to_do(
    client: Client, serve: Serve, tags: str, status: str, headers: dict[str, str], told: str
) -> None:
    serve(f"<head>{tags}</head>", status, **headers)
    found = verify(client)
    assert (found.status, found.json()["found"], found.json()["surface"]) == (200, False, None)
    assert found.json()["tag"] is None
    assert told in found.json()["errors"][0]


def test_verify__page_larger_than_the_limit__is_told(client: Client, serve: Serve, tags: str) -> None:
    serve(f"<head>{tags}</head>{'x' * 300_000}")
    assert "larger than" in verify(client).json()["errors"][0]


def test_verify__page_in_another_encoding__is_read(client: Client, serve: Serve, tags: str) -> None:
    serve(f"<head><title>x</title>{tags}</head>", Content_Type="text/html; charset=ISO-8859-1")
    assert verify(client).json()["errors"] == []
    for name in ("rot13", "punycode", "idna", "undefined"):  # the second would take minutes for a long page
        serve(f"<head>{tags}</head>", Content_Type=f"text/html; charset={name}")
        assert verify(client).json()["errors"] == [], name


def test_verify__redirect_to_a_strangers_page__is_no_page_of_the_shop(
    net: Net, authority: trustme.CA, client: Client, tags: str
) -> None:
    def talk(connection: socket.socket, head: bytes) -> None:
        away = b"Host: shop.example" in head
        place = answer("301 Moved", Location="https://other.example/") if away else answer(body=tags.encode())
        connection.sendall(place)

    with listening(talk, certified(authority, NAME, "other.example")) as (port, _):
        net.ports[PUBLIC_ADDRESS] = port
        assert "redirects to other.example" in verify(client).json()["errors"][0]


NOT_ALLOWED = [
    *(
        "http://shop.example/",
        "https://shop.example:8443/",
        "https://other.example/",
        "https://shop.example.evil.test/",
    ),
    *("https://127.0.0.1/", "https://0x7f.1/", "https://[::1]/", "https://169.254.169.254/", "https://localhost/"),
    *("https://2130706433/", "https://shop.example\\@other.example/", "https://myshop.example/", "https://example/"),
]


@pytest.mark.parametrize("url", NOT_ALLOWED)
def test_verify__address_that_is_not_the_shops_or_not_public__is_refused(net: Net, client: Client, url: str) -> None:
    found = verify(client, url)
    assert (found.status, found.code, found.paths) == (422, "url_not_allowed", ["url"])
    assert net.dialled == []


def test_verify__the_shops_own_name_at_a_private_address__is_refused(net: Net, client: Client) -> None:
    net.names[NAME] = ["10.0.0.1"]
    found = verify(client)
    assert (found.status, found.code, net.dialled) == (422, "url_not_allowed", [])


@pytest.mark.parametrize("url", ["shop.example", "ftp://shop.example/", "https://user@shop.example/", "", 7, None])
def test_verify__what_is_no_web_address__is_a_wrong_field(client: Client, url: Any) -> None:
    found = client.post("/settings/install/verify", {"url": url})
    assert (found.status, found.paths) == (400, ["url"])


def test_verify__hosts_of_the_shop__are_its_domains_environments_and_what_lies_below(
    client: Client, serve: Serve, tags: str
) -> None:
    serve(f"<head>{tags}</head>")
    assert verify(client, "https://www.shop.example/").json()["found"]
    assert verify(client, "https://stage.example/").code == "url_not_allowed"
    production = {
        "key": "production",
        "name": "Production",
        "isDefault": True,
        "subSnippetEnabled": False,
        "domains": [],
    }
    staging = {
        "key": "staging",
        "name": "S",
        "isDefault": False,
        "subSnippetEnabled": True,
        "domains": ["stage.example"],
    }
    wish = {"environments": {"activeKey": "production", "items": [production, staging]}}
    assert client.patch("/settings/environments", wish).status == 200
    assert verify(client, "https://stage.example/").json()["found"]
    assert verify(client, "https://other.example/").code == "url_not_allowed"
    revision = client.get("/settings/install-domains").json()["revision"]
    domains = {"additionalDomains": ["other.example"], "expected_revision": revision}
    assert client.patch("/settings/install-domains", domains).status == 200
    assert verify(client, "https://other.example/").json()["found"]


def test_verify__loopback_where_it_is_allowed__is_the_local_stacks_way(
    api: MemoryApi, tenant: Tenant, tags: str
) -> None:
    rules = PublicOnly(allow_loopback=True)
    uses = settings_uses(api.management, MemorySessions(), Pages(sender=OutboundHttp(rules), rules=rules))
    client = Client(handler(create_app(ROUTERS, api.management.services(uses))), key=tenant.admin)
    with listening(says(answer(body=f"<head>{tags}</head>".encode(), Content_Type="text/html"))) as (port, _):
        assert verify(client, f"http://127.0.0.1:{port}/").json()["found"]


def test_install__of_others__is_not_to_be_had(api: MemoryApi, client: Client, serve: Serve, tags: str) -> None:
    other = api.tenant()
    serve(f"<head>{tags}</head>")
    stranger = api.client(other.admin)
    assert "another shop" in verify(stranger).json()["errors"][0]
    assert stranger.get("/settings/install").json()["verified_at"] is None
    reader = api.client(api.key(["settings:read"], shop_id=other.shop.id).text)
    assert verify(reader).status == 403
    assert api.client(api.key(["shop:read"], shop_id=other.shop.id).text).get("/settings/install").status == 403


def pixel(client: Client, provider: str | None = None) -> dict[str, Any]:
    found = client.get("/settings/external-pixel", query={"provider": provider} if provider else {})
    assert found.status == 200
    body: dict[str, Any] = found.json()
    return body


def test_pixel__of_a_new_shop__is_whole(client: Client, tenant: Tenant) -> None:
    found = pixel(client)
    snippet = found.pop("snippet")
    assert found == {
        "shop_id": tenant.shop.id,
        "endpoint": f"{EDGE}/events",
        "provider": "custom",
        "handover_param": "svc_handover",
        "global_name": "svcPixel",
        "usage": {
            "function_name": "svcPixel.track",
            "example": 'svcPixel.track("order", {orderId: "1001", revenue: 49.9, currency: "EUR"});',
        },
    }
    assert tenant.shop.id in snippet
    assert re.fullmatch(r"<script>[\x00-\x7f]*</script>", snippet)
    assert snippet.lower().count("</script") == 1


def test_pixel__provider__decides_where_orders_are_looked_for(client: Client) -> None:
    assert 'layer:"dataLayer"' in pixel(client, "data_layer")["snippet"]
    assert 'object:"digitalData"' in pixel(client, "digital_data")["snippet"]
    assert "orders:[]" in pixel(client, "custom")["snippet"]


@pytest.mark.parametrize("provider", ["", "nobody", "Custom", "custom\n"])
def test_pixel__unknown_provider__is_a_wrong_parameter(client: Client, provider: str) -> None:
    found = client.get("/settings/external-pixel", query={"provider": provider})
    assert (found.status, found.code) == (400, "invalid_parameter")


def test_pixel__hostile_settings__end_where_they_should(client: Client) -> None:
    group = "</script><script>alert(1)<!--\u200f\u00e9\U0001f600"
    consent = {"enabled": True, "provider": "custom", "getter": "shop.consent", "requiredGroup": group}
    assert client.patch("/settings/consent", {"consentMode": consent}).status == 200
    tracking = {"domains": ["pay.example"], "handoverQueryParam": "who"}
    assert client.patch("/settings/external-tracking", {"externalTracking": tracking}).status == 200
    found = pixel(client)
    assert found["handover_param"] == "who"
    snippet = found["snippet"]
    assert snippet.isascii()
    assert (snippet.lower().count("<script"), snippet.lower().count("</script"), snippet.count("<!--")) == (1, 1, 0)
    quoted = re.search(r'group:("(?:[^"\\]|\\.)*")', snippet)
    assert quoted
    assert json.loads(quoted[1]) == group
    assert 'param:"who"' in snippet
