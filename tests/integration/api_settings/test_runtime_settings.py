"""Runtime settings over HTTP: shapes, limits, versions, publications."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from abtest.kit import canonical_json
from abtest.ports.blobs import BlobsUnavailableError
from abtest.ports.catalog import Commit, Head, Put, Record
from abtest.services.flags.store import FLAGS
from abtest.services.personalizations.store import PERSONALIZATIONS
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Answer, Client
from tests.support.delivered import flag, personalization

Json = dict[str, Any]
OK = {"status": "ok", "summary": "Published."}
ADDRESSES = ("environments", "external-tracking", "consent", "install-domains", "publication", "exposure-destinations")


def environment(key: str = "production", **fields: Any) -> Json:
    return {"key": key, "name": key, "isDefault": False, "subSnippetEnabled": False, "domains": [], **fields}


def environments(*others: Json, active: str = "production", **first: Any) -> Json:
    return {"environments": {"activeKey": active, "items": [environment(**{"isDefault": True, **first}), *others]}}


def tracking(**fields: Any) -> Json:
    return {"externalTracking": fields}


def consent(**fields: Any) -> Json:
    return {"consentMode": fields}


def destinations(*, ga4: bool = False, segment: bool = False) -> Json:
    return {"ga4": {"enabled": ga4}, "segment": {"enabled": segment}}


def config(api: MemoryApi, environment: str = "production") -> Json:
    """What is published; the newest object named by the pointer."""
    pointers = [entry.key for entry in api.management.blobs.list("pointers/") if f"/{environment}.json" in entry.key]
    pointer = api.management.blobs.get(pointers[-1])
    assert pointer is not None
    found = api.management.blobs.get(f"objects/{canonical_json.loads(pointer.content)['config']['sha256']}")
    assert found is not None
    document: Json = canonical_json.loads(found.content)
    return document


def promises(api: MemoryApi, topic: Any = "publish") -> list[Mapping[str, Any]]:
    return [row.payload for row in api.world.catalog.outbox(topic, created_before="9999", limit=100)]


def fail(api: MemoryApi) -> None:
    def refuse(*_: object, **__: object) -> str:
        raise BlobsUnavailableError

    api.management.blobs.put = refuse  # type: ignore[method-assign]


# ------------------------------------------------------------------ untouched


def test_settings__never_persisted__are_what_the_reference_says(client: Client, tenant: Tenant) -> None:
    assert client.get("/settings/environments").json() == {
        "environments": {"activeKey": "production", "items": [environment(name="Production", isDefault=True)]},
        "version": None,
    }
    assert client.get("/settings/external-tracking").json() == {
        "externalTracking": {
            "domains": [],
            "handoverQueryParam": "svc_handover",
            "handoverTtlSeconds": 120,
            "handoverMintTimeoutMs": 300,
            "signed": True,
        },
        "revision": None,
    }
    assert client.get("/settings/consent").json() == {
        "consentMode": {"enabled": False, "provider": "custom", "getter": "", "requiredGroup": ""},
        "prerequisites": {"showVariationsRule": None, "startTrackingRule": None},
    }
    assert client.get("/settings/install-domains").json() == {
        "shop_id": tenant.shop.id,
        "domain": "shop.example",
        "additionalDomains": [],
        "storeOrigins": ["https://shop.example"],
        "revision": "initial",
    }
    assert client.get("/settings/publication").json() == {"webhooks_enabled": False}
    assert client.get("/settings/exposure-destinations").json() == destinations()


@pytest.mark.parametrize("address", ADDRESSES)
def test_settings__read_with_their_tag__are_unchanged(client: Client, address: str) -> None:
    first = client.get(f"/settings/{address}")
    assert first.headers["etag"] == 'W/"0"'
    again = client.get(f"/settings/{address}", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


# ------------------------------------------------------------------ environments


def test_environments__written__are_published_and_have_a_version(api: MemoryApi, client: Client) -> None:
    staging = environment("staging", subSnippetEnabled=True, domains=["Stage.Shop.Example"])
    answer = client.patch("/settings/environments", environments(staging))
    assert (answer.status, answer.headers["etag"]) == (200, 'W/"1"')
    written = answer.json()
    assert written["precompile"] == OK
    assert written["environments"]["items"][1]["domains"] == ["stage.shop.example"]
    assert client.get("/settings/environments").json() == {
        name: value for name, value in written.items() if name != "precompile"
    }
    assert config(api)["runtime"]["environments"] == [{"key": "staging", "domains": ["stage.shop.example"]}]
    assert config(api, "staging")["runtime"]["environment"] == "staging"
    assert promises(api) == []


def test_environments__second_write__needs_the_version_of_the_first(client: Client) -> None:
    body = environments()
    version = client.patch("/settings/environments", {**body, "expected_version": None}).json()["version"]
    for stated in ({}, {"expected_version": None}, {"expected_version": "2020-01-01T00:00:00Z"}):
        refused = client.patch("/settings/environments", {**environments(name="Other"), **stated})
        assert (refused.status, refused.code) == (409, "version_conflict")
    again = client.patch("/settings/environments", {**environments(name="New"), "expected_version": version})
    assert again.status == 200
    assert again.json()["version"] > version, "within the same millisecond, too"
    assert client.get("/settings/environments").json()["environments"]["items"][0]["name"] == "New"


def test_environments__first_write_that_states_a_version__is_refused(client: Client) -> None:
    answer = client.patch("/settings/environments", {**environments(), "expected_version": "2026-03-02T09:00:00.000Z"})
    assert (answer.status, answer.code) == (409, "version_conflict")
    assert client.get("/settings/environments").json()["version"] is None


def test_environments__version_in_another_offset__is_the_same_version(client: Client) -> None:
    version = client.patch("/settings/environments", environments()).json()["version"]
    written = version.replace("T09:00", "T10:00").replace("Z", "+01:00")
    assert client.patch("/settings/environments", {**environments(), "expected_version": written}).status == 200


def test_environments__written_once_more_unchanged__keep_their_version_and_are_published(
    api: MemoryApi, client: Client, tenant: Tenant
) -> None:
    version = client.patch("/settings/environments", environments()).json()["version"]
    before = api.world.catalog.next_revision(tenant.shop.id)
    again = client.patch("/settings/environments", {**environments(), "expected_version": version})
    assert (again.json()["version"], again.json()["precompile"]) == (version, OK)
    assert api.world.catalog.next_revision(tenant.shop.id) == before + 2


def many(count: int) -> Json:
    return environments(*(environment(f"e{number}") for number in range(count - 1)))


@pytest.mark.parametrize(
    ("body", "status", "paths"),
    [
        (many(12), 200, []),
        (many(13), 400, ["environments.items"]),
        ({"environments": {"activeKey": "a", "items": []}}, 400, ["environments.items"]),
        (environments(key="k" * 48, active="k" * 48), 200, []),
        (environments(key="k" * 49, active="k"), 400, ["environments.items[0].key"]),
        (environments(key="K", active="k"), 400, ["environments.items[0].key"]),
        (environments(active="k" * 49), 400, ["environments.activeKey"]),
        (environments(name="n" * 80), 200, []),
        (environments(name="n" * 81), 400, ["environments.items[0].name"]),
        (environments(name=""), 400, ["environments.items[0].name"]),
        (environments(isDefault=1), 400, ["environments.items[0].isDefault"]),
        (environments(domains=[f"h{n}.example" for n in range(50)]), 200, []),
        (environments(domains=[f"h{n}.example" for n in range(51)]), 400, ["environments.items[0].domains"]),
        (environments(domains=["a b"]), 400, ["environments.items[0].domains[0]"]),
        (environments(domains=["münchen.example"]), 400, ["environments.items[0].domains[0]"]),
        (environments(domains=["xn--mnchen-3ya.example"]), 200, []),
        (environments(domains=["https://a.example"]), 400, ["environments.items[0].domains[0]"]),
        (environments(colour="red"), 400, ["environments.items[0].colour"]),
        ({"environments": {"activeKey": "a", "items": [{"key": "a"}]}}, 400, None),
        ({}, 400, ["environments"]),
        (environments(active="other"), 422, ["environments.activeKey"]),
        (environments(isDefault=False), 422, ["environments.items"]),
        (environments(environment("b", isDefault=True)), 422, ["environments.items"]),
        (environments(environment("production")), 422, ["environments.items[1].key"]),
        (
            environments(environment("b", domains=["A.example"]), domains=["a.example"]),
            422,
            ["environments.items[1].domains[0]"],
        ),
    ],
)
def test_environments__at_and_past_each_border__are_taken_or_refused_with_the_place(
    client: Client, body: Json, status: int, paths: list[str] | None
) -> None:
    answer = client.patch("/settings/environments", body)
    assert answer.status == status
    if status != 200:
        assert paths is None or answer.paths == paths
        assert client.get("/settings/environments").json()["version"] is None


def test_environments__removed_while_something_is_delivered_in_them__is_a_conflict_that_names_it(
    api: MemoryApi, client: Client, tenant: Tenant
) -> None:
    version = client.patch("/settings/environments", environments(environment("staging"))).json()["version"]
    shop: dict[str, Any] = {"shop_id": tenant.shop.id, "environment_key": "staging"}
    paused, active = flag(1, status="paused", version=1, **shop), personalization(version=1, **shop)
    heads = (FLAGS.head(paused), PERSONALIZATIONS.head(active))
    store(api, heads, version=0)
    body = {**environments(), "expected_version": version}
    answer = client.patch("/settings/environments", body)
    assert (answer.status, answer.code) == (409, "conflict")
    message = answer.json()["error"]["message"]
    assert "flag 'Flag 1' in staging" in message
    assert "personalization 'Personalization 1' in staging" in message
    store(api, (replace(heads[0], status="archived"), replace(heads[1], status="paused")), version=1)
    assert client.patch("/settings/environments", body).status == 200


def store(api: MemoryApi, heads: Iterable[Head], version: int) -> None:
    records = [Record(head=replace(head, version=version + 1), body={}) for head in heads]
    api.world.catalog.commit(Commit(puts=[Put(record=each, expected_version=version) for each in records]))


# ------------------------------------------------------------------ external tracking


def test_external_tracking__written__merges_and_is_published(api: MemoryApi, client: Client) -> None:
    first = client.patch("/settings/external-tracking", tracking(domains=["Pay.example"])).json()
    second = client.patch(
        "/settings/external-tracking",
        {**tracking(handoverTtlSeconds=60, signed=True), "expected_revision": first["revision"]},
    )
    assert second.json()["externalTracking"] == {
        "domains": ["pay.example"],
        "handoverQueryParam": "svc_handover",
        "handoverTtlSeconds": 60,
        "handoverMintTimeoutMs": 300,
        "signed": True,
    }
    assert second.json()["precompile"] == OK
    assert second.json()["revision"] > first["revision"]
    assert config(api)["runtime"]["handover"] == {
        "param": "svc_handover",
        "domains": ["pay.example"],
        "ttl": 60,
        "timeout": 300,
        "signed": True,
        "url": "https://edge.test/_svc/handover",
    }
    stale = client.patch(
        "/settings/external-tracking", {**tracking(signed=True), "expected_revision": first["revision"]}
    )
    assert (stale.status, stale.code) == (409, "version_conflict")


@pytest.mark.parametrize("others", [{}, {"domains": ["pay.example"]}])
def test_external_tracking__unsigned__is_forbidden_and_changes_nothing(client: Client, others: Json) -> None:
    answer = client.patch("/settings/external-tracking", tracking(signed=False, **others))
    assert (answer.status, answer.code) == (403, "signing_required")
    assert client.get("/settings/external-tracking").json()["revision"] is None


@pytest.mark.parametrize(
    ("field", "value", "status"),
    [
        ("domains", [f"h{n}.example" for n in range(20)], 200),
        ("domains", [f"h{n}.example" for n in range(21)], 400),
        ("domains", ["pay.example:443"], 400),
        ("domains", ["a.example", "A.EXAMPLE"], 422),
        ("domains", None, 400),
        ("handoverQueryParam", "_" + "a" * 31, 200),
        ("handoverQueryParam", "_" + "a" * 32, 400),
        ("handoverQueryParam", "", 400),
        ("handoverQueryParam", "1a", 400),
        ("handoverQueryParam", "A", 400),
        ("handoverQueryParam", "a-b", 400),
        ("handoverQueryParam", "svc_force", 422),
        ("handoverTtlSeconds", 29, 400),
        ("handoverTtlSeconds", 30, 200),
        ("handoverTtlSeconds", 600, 200),
        ("handoverTtlSeconds", 601, 400),
        ("handoverTtlSeconds", 60.5, 400),
        ("handoverMintTimeoutMs", 49, 400),
        ("handoverMintTimeoutMs", 50, 200),
        ("handoverMintTimeoutMs", 2000, 200),
        ("handoverMintTimeoutMs", 2001, 400),
        ("signed", True, 200),
        ("signed", "true", 400),
        ("colour", "red", 400),
    ],
)
def test_external_tracking__at_and_past_each_border__is_taken_or_refused_with_the_place(
    client: Client, field: str, value: Any, status: int
) -> None:
    answer = client.patch("/settings/external-tracking", tracking(**{field: value}))
    assert answer.status == status
    if status != 200:
        assert all(path.startswith(f"externalTracking.{field}") for path in answer.paths)
        assert answer.paths


# ------------------------------------------------------------------ consent


def test_consent__enabled__is_published_and_explained(api: MemoryApi, client: Client) -> None:
    answer = client.patch("/settings/consent", consent(enabled=True, provider="provider_b")).json()
    assert answer["precompile"] == OK
    assert "statistics" in answer["prerequisites"]["showVariationsRule"]
    assert "statistics" in answer["prerequisites"]["startTrackingRule"]
    found = config(api)["runtime"]["consent"]
    assert (found["group"], "Cookiebot" in found["read"], bool(found["events"])) == ("statistics", True, True)
    other = client.patch("/settings/consent", consent(requiredGroup="marketing")).json()
    assert other["consentMode"] == {
        "enabled": True,
        "provider": "provider_b",
        "getter": "",
        "requiredGroup": "marketing",
    }
    assert config(api)["runtime"]["consent"]["group"] == "marketing"
    client.patch("/settings/consent", consent(enabled=False))
    assert "consent" not in config(api)["runtime"]


@pytest.mark.parametrize(
    ("fields", "status", "path"),
    [
        ({"enabled": True, "getter": "shop.consent"}, 200, ""),
        ({"enabled": True}, 422, "getter"),
        ({"getter": "alert(1)"}, 422, "getter"),
        ({"getter": "g" * 200}, 200, ""),
        ({"getter": "g" * 201}, 400, "getter"),
        ({"requiredGroup": "g" * 200}, 200, ""),
        ({"requiredGroup": "g" * 201}, 400, "requiredGroup"),
        ({"provider": "provider_h"}, 400, "provider"),
        ({"enabled": None}, 400, "enabled"),
        ({"colour": "red"}, 400, "colour"),
    ],
)
def test_consent__at_and_past_each_border__is_taken_or_refused_with_the_place(
    client: Client, fields: Json, status: int, path: str
) -> None:
    answer = client.patch("/settings/consent", consent(**fields))
    assert answer.status == status
    if path:
        assert answer.paths == [f"consentMode.{path}"]
        assert client.get("/settings/consent").json()["consentMode"]["enabled"] is False


def test_consent__of_hostile_text__stays_an_argument(api: MemoryApi, client: Client) -> None:
    hostile = '"</script><script>alert(1)//\u200f$&'
    # A line separator would end the line of a script; the contract refuses it since it cannot be read in a list.
    separated = client.patch("/settings/consent", consent(requiredGroup=f"{hostile}\u2028"))
    assert (separated.status, separated.paths) == (400, ["consentMode.requiredGroup"])
    client.patch("/settings/consent", consent(enabled=True, provider="provider_a", requiredGroup=hostile))
    found = config(api)["runtime"]["consent"]
    assert found["group"] == hostile
    assert "alert" not in found["read"]


@pytest.mark.parametrize(
    ("address", "body"),
    [("consent", consent(enabled=False)), ("publication", {}), ("exposure-destinations", destinations())],
)
def test_settings__without_a_revision_of_their_own__obey_if_match(client: Client, address: str, body: Json) -> None:
    tag = client.get(f"/settings/{address}").headers["etag"]
    assert client.patch(f"/settings/{address}", body, headers={"If-Match": tag}).headers["etag"] == 'W/"1"'
    stale = client.patch(f"/settings/{address}", body, headers={"If-Match": tag})
    assert (stale.status, stale.code) == (412, "version_conflict")


# ------------------------------------------------------------------ exposure destinations


def test_exposure_destinations__written__are_merged_and_published(api: MemoryApi, client: Client) -> None:
    address = "/settings/exposure-destinations"
    first = client.patch(address, {"ga4": {"enabled": True}})
    assert (first.status, first.headers["etag"]) == (200, 'W/"1"')
    assert first.json() == {**destinations(ga4=True), "precompile": OK}
    assert config(api)["runtime"]["exposures"] == ["ga4"]
    assert client.patch(address, {"segment": {"enabled": True}, "ga4": {}}).json() == {
        **destinations(ga4=True, segment=True),
        "precompile": OK,
    }
    assert config(api)["runtime"]["exposures"] == ["ga4", "segment"]
    client.patch(address, destinations())
    assert "exposures" not in config(api)["runtime"]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"ga4": {"enabled": "yes"}}, "ga4.enabled"),
        ({"ga4": {"enabled": None}}, "ga4.enabled"),
        ({"segment": None}, "segment"),
        ({"segment": True}, "segment"),
        ({"mixpanel": {"enabled": True}}, "mixpanel"),
        ({"ga4": {"measurement_id": "G-1"}}, "ga4.measurement_id"),
    ],
)
def test_exposure_destinations__of_bad_form__are_refused(client: Client, body: Json, path: str) -> None:
    answer = client.patch("/settings/exposure-destinations", body)
    assert (answer.status, answer.paths) == (400, [path])
    assert client.get("/settings/exposure-destinations").json() == destinations()


# ------------------------------------------------------------------ publication


def test_publication__webhooks_enabled__tells_later_publications_only(api: MemoryApi, client: Client) -> None:
    assert client.patch("/settings/publication", {"webhooks_enabled": True}).json() == {"webhooks_enabled": True}
    assert promises(api, "webhook") == []
    published = client.post("/settings/publish").json()
    assert (published["status"], published["precompile"]) == ("published", OK)
    assert [(row["event"], row["revision"], row["environment_key"]) for row in promises(api, "webhook")] == [
        ("project.published", published["revision"], "production")
    ]
    client.patch("/settings/publication", {"webhooks_enabled": False})
    client.post("/settings/publish")
    assert len(promises(api, "webhook")) == 1


def test_publish__repeated__rises_and_leaves_the_objects_alone(api: MemoryApi, client: Client) -> None:
    first = client.post("/settings/publish").json()
    objects = {entry.key for entry in api.management.blobs.list("objects/")}
    api.clock.advance(seconds=2)
    second = client.post("/settings/publish").json()
    assert second["revision"] == first["revision"] + 1
    assert {entry.key for entry in api.management.blobs.list("objects/")} == objects


def test_publish__with_an_idempotency_key__is_done_once(client: Client) -> None:
    once = {"Idempotency-Key": "publish-1"}
    first, again = (client.post("/settings/publish", headers=once) for _ in range(2))
    assert again.json() == first.json()
    assert again.headers["idempotent-replayed"] == "true"


def test_publish__with_the_delivery_store_down__says_so_and_keeps_the_promise(
    api: MemoryApi, client: Client, tenant: Tenant
) -> None:
    fail(api)
    answer = client.post("/settings/publish")
    assert (answer.status, answer.json()["status"], answer.json()["revision"]) == (200, "failed", None)
    assert answer.json()["precompile"]["status"] == "error"
    assert len(promises(api)) == 1


def test_publish__with_the_scope_of_settings_alone__is_forbidden(api: MemoryApi, tenant: Tenant) -> None:
    writer = api.client(api.key(["settings:write"], shop_id=tenant.shop.id, user_id=tenant.user_id).text)
    assert (writer.post("/settings/publish").status, writer.get("/settings/consent").status) == (403, 200)
    launcher = api.client(api.key(["experiments:launch"], shop_id=tenant.shop.id, user_id=tenant.user_id).text)
    assert (launcher.post("/settings/publish").status, launcher.get("/settings/consent").status) == (200, 403)


WRITES: list[tuple[str, Json]] = [
    ("environments", environments(name="Other")),
    ("external-tracking", tracking(domains=["pay.example"])),
    ("consent", consent(enabled=True, provider="provider_a")),
    ("install-domains", {"additionalDomains": ["www.shop.example"]}),
    ("exposure-destinations", destinations(segment=True)),
]


@pytest.mark.parametrize(("address", "body"), WRITES)
def test_settings__written_while_the_delivery_store_is_down__stand_and_say_so(
    api: MemoryApi, client: Client, address: str, body: Json
) -> None:
    fail(api)
    answer = client.patch(f"/settings/{address}", body)
    assert (answer.status, answer.json()["precompile"]["status"]) == (200, "error")
    assert len(promises(api)) == 1
    assert client.get(f"/settings/{address}").headers["etag"] == 'W/"1"'


@pytest.mark.parametrize(("address", "body"), WRITES)
def test_settings__written__leave_an_audit_row_and_nothing_in_other_shops(
    api: MemoryApi, client: Client, tenant: Tenant, address: str, body: Json
) -> None:
    other = api.client(api.tenant("Other", domain="other.example").admin)
    before = other.get(f"/settings/{address}").json()
    api.clock.advance(seconds=1)
    client.patch(f"/settings/{address}", body)
    row = api.world.catalog.audit(tenant.shop.id, entity_id=None, limit=1)[0][0]
    assert (row.action, row.entity_type, row.user_id) == (
        f"settings.update_{address.replace('-', '_')}",
        "settings",
        tenant.user_id,
    )
    assert row.diff
    assert other.get(f"/settings/{address}").json() == before


@pytest.mark.parametrize(
    ("address", "body", "diff"),
    [
        ("environments", environments(name="Other"), {"items"}),
        ("external-tracking", tracking(handoverQueryParam="to"), {"handoverQueryParam"}),
        ("consent", consent(requiredGroup="ads"), {"requiredGroup"}),
        ("publication", {"webhooks_enabled": True}, {"webhooks_enabled"}),
        ("exposure-destinations", {"ga4": {"enabled": True}}, {"ga4"}),
    ],
)
def test_settings__written__are_audited_under_the_names_of_the_contract(
    api: MemoryApi, client: Client, tenant: Tenant, address: str, body: Json, diff: set[str]
) -> None:
    api.clock.advance(seconds=1)
    assert client.patch(f"/settings/{address}", body).status == 200
    row = api.world.catalog.audit(tenant.shop.id, entity_id=None, limit=1)[0][0]
    assert set(row.diff) == diff


@pytest.mark.parametrize(("address", "body"), WRITES)
def test_settings__repeated_with_an_idempotency_key__are_written_once(
    api: MemoryApi, client: Client, tenant: Tenant, address: str, body: Json
) -> None:
    once = {"Idempotency-Key": "write-1"}
    first, again = (client.patch(f"/settings/{address}", body, headers=once) for _ in range(2))
    assert (again.status, again.json()) == (200, first.json())
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=None, limit=50)
    assert len([row for row in rows if row.entity_type == "settings"]) == 1


@pytest.mark.parametrize("address", ADDRESSES)
def test_settings__without_their_scope__are_forbidden(api: MemoryApi, tenant: Tenant, address: str) -> None:
    reader = api.client(api.key(["settings:read"], shop_id=tenant.shop.id).text)
    stranger = api.client(api.key(["shop:write"], shop_id=tenant.shop.id).text)
    assert reader.get(f"/settings/{address}").status == 200
    forbidden: list[Answer] = [stranger.get(f"/settings/{address}"), reader.patch(f"/settings/{address}", {})]
    assert [answer.code for answer in forbidden] == ["insufficient_scope"] * 2
