"""The inbox over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.ports.catalog import Commit, InboxRow
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client


def written(client: Client, body: str, **options: Any) -> dict[str, Any]:
    """A message that was accepted."""
    answer = client.post("/inbox/messages", {"body": body}, **options)
    assert answer.status == 201, answer.body
    message: dict[str, Any] = answer.json()
    return message


def listed(client: Client, **query: Any) -> list[str]:
    """The texts of a page."""
    return [each["body"] for each in client.get("/inbox/messages", query=query).json()["data"]]


@pytest.fixture
def three(api: MemoryApi, client: Client) -> list[dict[str, Any]]:
    """Three messages of the shop, a second apart."""
    messages = []
    for body in ("one", "two", "three"):
        api.clock.advance(seconds=1)
        messages.append(written(client, body))
    return messages


def system_message(api: MemoryApi, tenant: Tenant, body: str) -> str:
    """A message of the service; its id."""
    api.clock.advance(seconds=1)
    row = InboxRow(
        id=api.world.new_id(),
        shop_id=tenant.shop.id,
        role="system",
        body=body,
        sender_id=None,
        created_at=api.world.now(),
    )
    api.management.catalog.commit(Commit(inbox=[row]))
    return row.id


def test_message__of_the_shop__is_stored_as_it_was_written(client: Client, tenant: Tenant) -> None:
    text = "<b>Hello</b> & [link](https://x)\n\tالسلام 🎉"
    message = written(client, text)
    assert message == client.get(f"/inbox/messages/{message['id']}").json()
    assert (message["role"], message["body"], message["sender_id"]) == ("client", text, tenant.user_id)


def test_message__names_its_author_only_as_the_server_knows_it(client: Client) -> None:
    answer = client.post("/inbox/messages", {"body": "x", "role": "system", "sender_id": "me"})
    assert (answer.status, answer.json()["error"]["code"]) == (400, "unknown_property")


@pytest.mark.parametrize("body", ["", "x" * 10_001, 7, None])
def test_message__empty_or_too_long__is_refused(client: Client, body: object) -> None:
    answer = client.post("/inbox/messages", {"body": body})
    assert (answer.status, answer.json()["error"]["fields"][0]["path"]) == (400, "body")
    assert listed(client) == []


def test_message__with_every_limit__fits(client: Client) -> None:
    written(client, "\U0001f389" * 10_000)


@pytest.mark.parametrize("body", ["a\0b", "a\x1bb", "\u202eb", " ", "\n\n", "\u200b"])
def test_message__that_is_not_plain_text__is_refused(client: Client, body: str) -> None:
    answer = client.post("/inbox/messages", {"body": body})
    assert (answer.status, answer.paths) == (400, ["body"])


@pytest.mark.parametrize("sign", ["\U0001f600", '"'])
@pytest.mark.parametrize("limit", [50, 70, 100])
def test_list__of_the_longest_messages__fits_into_a_response(
    api: MemoryApi, client: Client, tenant: Tenant, sign: str, limit: int
) -> None:
    for _ in range(100):
        system_message(api, tenant, sign * 10_000)
    assert len(client.get("/inbox/messages", query={"limit": limit}).json()["data"]) == limit


def test_message__of_a_repeated_request__is_stored_once(client: Client) -> None:
    first, second = (written(client, "once", headers={"Idempotency-Key": "k"}) for _ in range(2))
    assert first == second
    assert listed(client) == ["once"]


def test_list__in_both_orders__goes_through_all_pages(client: Client, three: list[dict[str, Any]]) -> None:
    assert listed(client) == ["three", "two", "one"]
    page = client.get("/inbox/messages", query={"sort": "created_at", "limit": 2}).json()
    assert [each["body"] for each in page["data"]] == ["one", "two"]
    query = {"sort": "created_at", "limit": 2, "cursor": page["pagination"]["next_cursor"]}
    assert listed(client, **query) == ["three"]
    assert client.get("/inbox/messages", query={**query, "sort": "-created_at"}).status == 400


def test_list__since_a_moment__has_its_message_and_later_ones(client: Client, three: list[dict[str, Any]]) -> None:
    since = three[1]["created_at"]
    assert listed(client, since=since) == ["three", "two"]
    assert listed(client, since=since, sort="created_at") == ["two", "three"]
    page = client.get("/inbox/messages", query={"since": since, "limit": 1}).json()
    assert listed(client, since=since, limit=1, cursor=page["pagination"]["next_cursor"]) == ["two"]


def test_messages__of_another_shop__do_not_exist(api: MemoryApi, three: list[dict[str, Any]]) -> None:
    stranger = api.client(api.tenant("Other").admin)
    assert listed(stranger) == []
    assert stranger.get(f"/inbox/messages/{three[0]['id']}").status == 404
    assert stranger.put("/inbox/read", {"until": three[0]["id"]}).status == 422


def test_unread__counts_the_messages_of_others_behind_the_mark(
    api: MemoryApi, client: Client, tenant: Tenant, three: list[dict[str, Any]]
) -> None:
    ids = [system_message(api, tenant, f"finding {number}") for number in range(3)]
    assert client.get("/inbox/unread").json() == {"unread": 3, "has_more": False, "until": None}
    assert client.put("/inbox/read", {"until": ids[1]}).json() == {"unread": 1, "has_more": False, "until": ids[1]}
    # Never backwards.
    assert client.put("/inbox/read", {"until": three[0]["id"]}).json()["until"] == ids[1]
    assert client.get("/inbox/unread").json()["unread"] == 1


def test_unread__of_another_user__has_a_mark_of_its_own(api: MemoryApi, client: Client, tenant: Tenant) -> None:
    mine = written(client, "mine")["id"]
    other = api.client(api.key(["inbox:read"], shop_id=tenant.shop.id).text)
    assert other.get("/inbox/unread").json()["unread"] == 1
    client.put("/inbox/read", {"until": mine})
    assert other.get("/inbox/unread").json() == {"unread": 1, "has_more": False, "until": None}


def test_unread__of_more_than_a_hundred__ends_there(api: MemoryApi, client: Client, tenant: Tenant) -> None:
    for number in range(100):
        system_message(api, tenant, str(number))
    assert client.get("/inbox/unread").json() == {"unread": 100, "has_more": False, "until": None}
    system_message(api, tenant, "one more")
    written(client, "my own")
    assert client.get("/inbox/unread").json() == {"unread": 100, "has_more": True, "until": None}


def test_unread__behind_many_of_ones_own__ends_after_a_thousand(
    api: MemoryApi, client: Client, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("abtest.services.inbox.MOST_READ", 200)
    for _ in range(201):
        written(client, "my own")
    assert client.get("/inbox/unread").json() == {"unread": 0, "has_more": True, "until": None}


def test_message__of_the_service__is_gone_after_ninety_days(api: MemoryApi, client: Client, tenant: Tenant) -> None:
    old = system_message(api, tenant, "old")
    kept = written(client, "of a person")
    api.clock.advance(days=90)
    new = system_message(api, tenant, "new")
    assert [each["id"] for each in client.get("/inbox/messages").json()["data"]] == [new, kept["id"]]
    assert client.get(f"/inbox/messages/{old}").status == 404
    assert client.get("/inbox/unread").json()["unread"] == 1


@pytest.mark.parametrize("until", ["0192e4a0-ffff-7000-8000-000000000000", "not an id", None])
def test_mark__outside_of_the_messages__is_refused(client: Client, until: object) -> None:
    answer = client.put("/inbox/read", {"until": until})
    assert answer.status == (422 if str(until).startswith("0192") else 400)
    assert answer.json()["error"]["fields"][0]["path"] == "until"
    assert client.get("/inbox/unread").json()["until"] is None


def test_audit__of_a_message__has_its_hash_and_not_its_text(api: MemoryApi, client: Client, tenant: Tenant) -> None:
    message = written(client, "our secret plan")
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=message["id"], limit=9)
    assert [row.action for row in rows] == ["inbox_message.create"]
    assert "secret" not in str(rows[0].diff)
