"""Who may do what to webhooks, and what nobody is ever told: the secret."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from abtest.domain.webhooks.endpoint import webhook_from
from abtest.kit import canonical_json
from abtest.kit.clock import timestamp
from abtest.ports.sealer import SealingUnavailableError
from abtest.services.webhooks.endpoints import Issued
from tests.integration.api_webhooks.conftest import URL, WebhookApi
from tests.support.api import Tenant
from tests.support.client import Answer, Client

Create = Callable[..., dict[str, Any]]
SINCE = {"since": "2026-03-01T00:00:00Z"}


def everything(client: Client, webhook_id: str, delivery_id: str) -> list[Answer]:
    """Every route of an endpoint."""
    path = f"/webhooks/{webhook_id}"
    return [
        client.get(path),
        client.patch(path, {"active": False, "url": "https://nowhere.shop.example/"}),
        client.post(f"{path}/rotate-secret"),
        client.post(f"{path}/test"),
        client.get(f"{path}/deliveries"),
        client.get(f"{path}/deliveries/{delivery_id}"),
        client.post(f"{path}/deliveries/{delivery_id}/redeliver"),
        client.post(f"{path}/recover", SINCE),
        client.get(f"{path}/stats"),
        client.post(f"{path}/archive"),
        client.delete(path),
    ]


def test_other_shop__tries_everything__learns_nothing(
    api: WebhookApi, client: Client, create: Create, tenant: Tenant
) -> None:
    webhook = create()
    delivery = api.deliver(webhook, tenant.shop.id)
    stranger = api.client(api.tenant("Other").admin)
    unknown = stranger.get(f"/webhooks/{api.world.new_id()}").json()["error"] | {"request_id": ""}
    answers = everything(stranger, webhook["id"], delivery.id)
    assert {answer.status for answer in answers} == {404}
    assert all(answer.json()["error"] | {"request_id": ""} == unknown for answer in answers)
    assert stranger.get("/webhooks").json()["data"] == []
    own = stranger.post("/webhooks", {"url": URL, "events": ["experiment.started"]}).json()
    through_own = stranger.get(f"/webhooks/{own['id']}/deliveries/{delivery.id}")
    assert through_own.status == 404
    assert client.get(f"/webhooks/{webhook['id']}").headers["etag"] == 'W/"1"'


def test_scopes__each_route__asks_for_its_own(api: WebhookApi, tenant: Tenant, create: Create) -> None:
    webhook = create()
    delivery = api.deliver(webhook, tenant.shop.id)
    reader = api.client(api.key(["webhooks:read"], shop_id=tenant.shop.id).text)
    writer = api.client(api.key(["webhooks:write"], shop_id=tenant.shop.id).text)
    other = api.client(api.key(["experiments:write", "settings:write"], shop_id=tenant.shop.id).text)
    assert {answer.status for answer in everything(other, webhook["id"], delivery.id)} == {403}
    told = [answer.status for answer in everything(reader, webhook["id"], delivery.id)]
    assert told == [200, 403, 403, 403, 200, 200, 403, 403, 200, 403, 403]
    assert reader.get("/webhook-events").status == 200
    assert other.get("/webhook-events").json()["error"]["required_scope"] == "webhooks:read"
    assert reader.post("/webhooks", {"url": URL, "events": ["experiment.started"]}).status == 403
    assert writer.get(f"/webhooks/{webhook['id']}").status == 200


def test_rotate__signs_with_both_for_the_grace(api: WebhookApi, client: Client, tenant: Tenant, create: Create) -> None:
    made = create()
    path = f"/webhooks/{made['id']}"
    context = {"shop_id": tenant.shop.id, "webhook_id": made["id"]}

    def signing(**later: float) -> list[str]:
        record = api.world.catalog.get(tenant.shop.id, "HOOK", made["id"])
        assert record is not None
        webhook = webhook_from(record.body, record.head.version)
        moment = timestamp(api.clock.now() + timedelta(**later))
        return [api.sealer.open(sealed, context) for sealed in webhook.secrets_at(moment)]

    answer = client.post(f"{path}/rotate-secret")
    second = answer.json()["secret"]
    assert (answer.status, answer.headers["etag"]) == (200, 'W/"2"')
    assert second != made["secret"]
    assert signing(hours=23, minutes=59) == [second, made["secret"]]
    assert signing(days=1) == [second]
    third = client.post(f"{path}/rotate-secret", {"grace_seconds": 604_800}).json()["secret"]
    assert signing(days=6) == [third, second]
    fourth = client.post(f"{path}/rotate-secret", {"grace_seconds": 0}).json()["secret"]
    assert signing() == [fourth]
    for wrong in (-1, 604_801, 1.5, "60", None):
        refused = client.post(f"{path}/rotate-secret", {"grace_seconds": wrong})
        assert (refused.status, refused.paths) == (400, ["grace_seconds"])


def test_secret__appears_in_its_answer_and_nowhere_else(
    api: WebhookApi, client: Client, tenant: Tenant, create: Create, caplog: pytest.LogCaptureFixture, capsys: Any
) -> None:
    caplog.set_level(logging.DEBUG)
    made = create()
    path = f"/webhooks/{made['id']}"
    secrets = [made["secret"], client.post(f"{path}/rotate-secret").json()["secret"]]
    delivery_id = client.post(f"{path}/test").json()["id"]
    client.patch(path, {"active": False})
    shown = [answer.body.decode() for answer in everything(client, made["id"], delivery_id)[3:]]
    shown += [client.get(each).body.decode() for each in ("/webhooks", path, "/webhook-events")]
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=None, limit=100)
    record = api.world.catalog.get(tenant.shop.id, "HOOK", made["id"])
    assert record is not None
    output = capsys.readouterr()
    everywhere = [*shown, repr(rows), repr(record), caplog.text, output.out, output.err, *api.queue.bodies]
    for secret in secrets:
        assert not [text for text in everywhere if secret in text or secret.removeprefix("whsec_") in text]
    assert "request.answered" in output.out + caplog.text
    rotated = next(row for row in rows if row.action == "webhook.rotate_secret")
    assert rotated.diff["secret"] == [None, "rotated"]


def test_secret__in_the_address_of_a_receiver__is_not_in_the_audit_which_shows_that_it_changed(
    api: WebhookApi, client: Client, tenant: Tenant, create: Create
) -> None:
    urls = [f"{URL}/s3cret-path?token=s3cret", f"{URL}/s3cret-path?token=s3cret-too"]
    path = f"/webhooks/{create(url=urls[0])['id']}"
    api.clock.advance(seconds=1)
    assert client.patch(path, {"url": urls[1]}).json()["url"] == urls[1]
    api.clock.advance(seconds=1)
    assert client.delete(path).status == 204
    archived, updated, created = api.world.catalog.audit(tenant.shop.id, entity_id=path[10:], limit=9)[0]
    assert "s3cret" not in repr([archived, updated, created])
    told = [
        {"origin": "https://hooks.shop.example", "sha256": canonical_json.sha256(url), "length": len(url)}
        for url in urls
    ]
    assert created.diff["url"] == [None, told[0]]
    assert updated.diff == {"url": told}
    assert "url" not in archived.diff


def test_secret__in_what_carries_it__is_not_in_its_repr(api: WebhookApi) -> None:
    from abtest.contract.webhooks import WebhookCreated
    from abtest.domain.webhooks.endpoint import Sealed, Webhook
    from abtest.domain.webhooks.health import EndpointHealth, Health

    now = api.world.now()
    webhook = Webhook(
        id=api.world.new_id(),
        shop_id=api.world.new_id(),
        url=URL,
        events=("experiment.started",),
        secret=Sealed("sealed"),
        slot=0,
        created_at=now,
        updated_at=now,
    )
    endpoint = EndpointHealth(webhook, Health())
    assert "whsec_" not in repr(Issued(endpoint, "whsec_x"))
    assert "whsec_" not in repr(WebhookCreated.with_secret(endpoint, "whsec_x"))


def test_idempotency_key__repeated__gives_the_same_endpoint_and_secret(client: Client) -> None:
    wish = {"url": URL, "events": ["experiment.started"]}
    answers = [client.post("/webhooks", wish, headers={"idempotency-key": "one"}) for _ in range(2)]
    assert answers[0].body == answers[1].body
    assert answers[1].headers["idempotent-replayed"] == "true"
    assert len(client.get("/webhooks").json()["data"]) == 1


def test_idempotency_key__of_a_rotation__keeps_a_repetition_from_taking_a_secret_out_of_use(
    client: Client, create: Create
) -> None:
    path = f"/webhooks/{create()['id']}"
    answers = [client.post(f"{path}/rotate-secret", headers={"idempotency-key": "one"}) for _ in range(2)]
    assert answers[0].json()["secret"] == answers[1].json()["secret"]
    assert client.get(path).headers["etag"] == 'W/"2"'


def test_key_service__that_is_silent__is_503_and_changes_nothing(
    api: WebhookApi, client: Client, create: Create, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = create()

    def silent(*_: object) -> None:
        raise SealingUnavailableError

    monkeypatch.setattr(api.sealer, "seal", silent)
    for answer in (
        client.post("/webhooks", {"url": URL, "events": ["experiment.started"]}),
        client.post(f"/webhooks/{made['id']}/rotate-secret"),
    ):
        assert (answer.status, answer.code) == (503, "service_unavailable")
    assert [item["id"] for item in client.get("/webhooks").json()["data"]] == [made["id"]]
    assert client.get(f"/webhooks/{made['id']}").headers["etag"] == 'W/"1"'
