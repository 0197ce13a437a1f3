"""Passkeys: enrolment, sign-in, step-up, removal, and the replacement of lost ones."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.services.identity.passkeys import CHALLENGES_PER_MINUTE
from abtest.services.identity.records import Users
from tests.integration.api_identity.test_codes import with_address
from tests.support.api import MemoryApi, Tenant
from tests.support.authenticator import PRESENT, VERIFIED, Authenticator
from tests.support.client import Answer
from tests.support.console import Browser, Post, begun


def enrol(browser: Browser, authenticator: Authenticator, name: str = "Laptop") -> Answer:
    """Make a passkey and send it."""
    options = browser.identity("POST", "/passkeys/register-challenge").json()["options"]
    credential = authenticator.create(options)
    return browser.identity("POST", "/passkeys", {"credential": credential, "name": name})


def sign_in(browser: Browser, authenticator: Authenticator) -> Answer:
    """Sign in with a passkey."""
    options = browser.identity("POST", "/passkeys/challenge").json()["options"]
    return browser.identity("POST", "/passkeys/verify", {"credential": authenticator.get(options)})


@pytest.fixture
def laptop() -> Authenticator:
    return Authenticator()


@pytest.fixture
def person(api: MemoryApi, tenant: Tenant, laptop: Authenticator) -> Browser:
    """The owner after enrolment from a user key, as present owners begin."""
    browser = Browser(api.handler, shop_id=tenant.shop.id)
    browser.identity("POST", "/exchange", {"api_key": api.key(kind="user", user_id=tenant.user_id).text})
    assert enrol(browser, laptop).status == 201
    return browser


def test_options__of_a_registration__ask_for_verification_and_name_the_configured_host(owner: Browser) -> None:
    options = owner.identity("POST", "/passkeys/register-challenge").json()["options"]
    assert options["rp"]["id"] == "api.test"
    assert options["authenticatorSelection"]["userVerification"] == "required"
    assert options["authenticatorSelection"]["residentKey"] == "required"
    challenge = Browser(owner.handler).identity("POST", "/passkeys/challenge").json()["options"]
    assert (challenge["rpId"], challenge["userVerification"]) == ("api.test", "required")
    assert len(challenge["challenge"]) == 43


def test_enrolment__begins_a_session_of_level_passkey_under_another_cookie(
    api: MemoryApi, tenant: Tenant, laptop: Authenticator
) -> None:
    browser = Browser(api.handler)
    browser.identity("POST", "/exchange", {"api_key": api.key(kind="user", user_id=tenant.user_id).text})
    former = Browser(api.handler, browser.token)
    answer = enrol(browser, laptop)
    assert (answer.status, answer.json()["name"]) == (201, "Laptop")
    body = browser.identity("GET", "/session").json()
    assert (body["level"], body["user"]["id"], body["shops"][0]["role"]) == ("passkey", tenant.user_id, "owner")
    assert former.identity("GET", "/session").status == 401


def test_sign_in__with_a_passkey__finds_its_user(api: MemoryApi, person: Browser, laptop: Authenticator) -> None:
    browser = Browser(api.handler)
    body = sign_in(browser, laptop).json()
    assert (body["level"], body["user"]) == ("passkey", person.identity("GET", "/session").json()["user"])
    assert person.identity("GET", "/passkeys").json()["data"][0]["last_used_at"] == api.world.now()


def test_step_up__ends_the_former_session_and_admits_what_needs_a_recent_passkey(
    api: MemoryApi, person: Browser, laptop: Authenticator
) -> None:
    reports = {"name": "Reports", "preset": "read_only"}
    api.clock.advance(minutes=10)
    assert person.api.post("/api-keys", reports).code == "passkey_required"
    former = Browser(api.handler, person.token)
    assert sign_in(person, laptop).status == 201
    assert person.api.post("/api-keys", reports).status == 201
    assert former.identity("GET", "/session").status == 401


def test_challenge__used_twice_or_after_five_minutes__is_refused(
    api: MemoryApi, person: Browser, laptop: Authenticator
) -> None:
    browser = Browser(api.handler)
    options = browser.identity("POST", "/passkeys/challenge").json()["options"]
    credential = laptop.get(options)
    assert browser.identity("POST", "/passkeys/verify", {"credential": credential}).status == 201
    assert browser.identity("POST", "/passkeys/verify", {"credential": credential}).code == "passkey_refused"
    options = browser.identity("POST", "/passkeys/challenge").json()["options"]
    api.clock.advance(minutes=5)
    late = browser.identity("POST", "/passkeys/verify", {"credential": laptop.get(options)})
    assert (late.status, late.code) == (401, "passkey_refused")


@pytest.mark.parametrize(
    "lie",
    [
        {"origin": "https://evil.test"},
        {"flags": PRESENT},
        {"flags": VERIFIED},
        {"rp_id": "evil.test"},
        {"user_handle": b"another user"},
        {"key": Authenticator().key},
        {"count": -1},
        {"credential_id": b"unknown"},
    ],
    ids=lambda lie: next(iter(lie)),
)
def test_sign_in__with_a_false_statement__is_refused(
    api: MemoryApi, person: Browser, laptop: Authenticator, lie: dict[str, Any]
) -> None:
    sign_in(Browser(api.handler), laptop)
    sign_in(Browser(api.handler), laptop)
    for name, value in lie.items():
        setattr(laptop, name, value)
    answer = sign_in(Browser(api.handler), laptop)
    assert (answer.status, answer.code) == (401, "passkey_refused")


@pytest.mark.parametrize(
    "credential",
    [
        {},
        {"id": 1},
        {"id": "x", "response": []},
        {"id": "x", "response": {}},
        {"id": "x", "response": {"clientDataJSON": "é"}},
        {"id": "x", "response": {"clientDataJSON": "e30"}},
        {"id": "x", "response": {"clientDataJSON": "W10"}},
        {"id": "x", "response": {"clientDataJSON": "eyJjaGFsbGVuZ2UiOjF9"}},
        {"id": "x", "response": {"clientDataJSON": "W1tb" * 30_000}},
        {"id": "\ud800x".encode("utf-16", "surrogatepass").decode("utf-16", "replace"), "response": {}},
    ],
)
def test_credential__malformed__is_refused(browser: Browser, owner: Browser, credential: dict[str, Any]) -> None:
    answer = browser.identity("POST", "/passkeys/verify", {"credential": credential})
    assert (answer.status, answer.code) == (401, "passkey_refused")
    made = owner.identity("POST", "/passkeys", {"credential": credential})
    assert (made.status, made.paths) == (422, ["credential"])


@pytest.mark.parametrize("lie", [{"origin": "https://evil.test"}, {"flags": PRESENT}])
def test_enrolment__with_a_false_statement__is_refused(
    owner: Browser, laptop: Authenticator, lie: dict[str, Any]
) -> None:
    for name, value in lie.items():
        setattr(laptop, name, value)
    assert (enrol(owner, laptop).status, owner.identity("GET", "/passkeys").json()["data"]) == (422, [])


def test_enrolment__with_the_challenge_of_another_session__is_refused(
    api: MemoryApi, owner: Browser, tenant: Tenant, laptop: Authenticator
) -> None:
    options = owner.identity("POST", "/passkeys/register-challenge").json()["options"]
    other = Browser(api.handler, begun(api.management, tenant.user_id).token)
    assert other.identity("POST", "/passkeys", {"credential": laptop.create(options)}).status == 422


def test_enrolment__of_a_passkey_of_another_user__is_a_conflict(
    api: MemoryApi, person: Browser, laptop: Authenticator
) -> None:
    theirs = api.tenant("Theirs")
    stranger = Browser(api.handler, begun(api.management, theirs.user_id).token)
    assert enrol(stranger, laptop).code == "conflict"


def test_enrolment__of_another_one__needs_a_recent_passkey(api: MemoryApi, person: Browser) -> None:
    api.clock.advance(minutes=10)
    refused = person.identity("POST", "/passkeys/register-challenge")
    assert (refused.status, refused.code) == (403, "passkey_required")


def test_enrolment__by_a_key__is_refused_once_the_user_has_passkeys(
    api: MemoryApi, person: Browser, tenant: Tenant
) -> None:
    for key in (api.key(kind="user", user_id=tenant.user_id).text, tenant.admin):
        browser = Browser(api.handler)
        browser.identity("POST", "/exchange", {"api_key": key})
        assert browser.identity("POST", "/passkeys/register-challenge").code == "passkey_required"
    (passkey,) = person.identity("GET", "/passkeys").json()["data"]
    browser.identity("POST", "/exchange", {"api_key": api.key(kind="user", user_id=tenant.user_id).text})
    assert browser.identity("DELETE", f"/passkeys/{passkey['id']}").code == "passkey_required"


def test_passkeys__named_and_removed__but_not_the_last_one(api: MemoryApi, person: Browser) -> None:
    phone = Authenticator()
    second = enrol(person, phone, "Phone").json()["id"]
    newest, first = person.identity("GET", "/passkeys").json()["data"]
    assert (newest["id"], first["name"]) == (second, "Laptop")
    assert person.identity("PATCH", f"/passkeys/{second}", {"name": "Old phone"}).json()["name"] == "Old phone"
    assert person.identity("DELETE", f"/passkeys/{second}").status == 204
    assert person.identity("DELETE", f"/passkeys/{second}").status == 404
    assert person.identity("DELETE", f"/passkeys/{first['id']}").code == "last_passkey"
    assert sign_in(Browser(api.handler), phone).status == 401


def test_passkeys__changes__are_mailed_and_audited(api: MemoryApi, person: Browser, post: Post, tenant: Tenant) -> None:
    with_address(person, post)
    post.sent.clear()
    api.clock.advance(seconds=1)
    second = enrol(person, Authenticator(), "Phone").json()["id"]
    api.clock.advance(seconds=1)
    person.identity("DELETE", f"/passkeys/{second}")
    assert [mail.subject for mail in post.sent] == [
        "A passkey was added to your account",
        "A passkey was removed from your account",
    ]
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=second, limit=5)
    assert [(row.action, row.user_id) for row in rows] == [
        ("passkey.delete", tenant.user_id),
        ("passkey.create", tenant.user_id),
    ]


def emailed(api: MemoryApi, post: Post) -> Browser:
    """A browser that signed in by a code."""
    browser = Browser(api.handler)
    browser.identity("POST", "/sign-in", {"email": "anna@shop.example"})
    assert browser.identity("POST", "/sign-in/verify", {"code": post.sent[-1].secret}).json()["level"] == "email"
    return browser


def test_replacement__of_lost_passkeys__takes_a_notice_and_a_day(
    api: MemoryApi, person: Browser, post: Post, laptop: Authenticator
) -> None:
    with_address(person, post)
    browser = emailed(api, post)
    assert browser.identity("POST", "/passkeys/register-challenge").code == "passkey_notice_required"
    answer = browser.identity("POST", "/passkeys/replacement")
    assert (answer.status, answer.json()["replaceable_at"]) == (202, "2026-03-03T09:00:00.000Z")
    assert post.sent[-1].subject == "Your passkeys will be replaced"
    api.clock.advance(hours=23, minutes=59)
    assert emailed(api, post).identity("POST", "/passkeys/register-challenge").code == "passkey_notice_required"
    api.clock.advance(minutes=1)
    other = emailed(api, post)
    phone = Authenticator()
    browser = emailed(api, post)
    assert enrol(browser, phone).status == 201
    assert other.identity("GET", "/session").status == 401, "all sessions of the user end"
    assert browser.identity("GET", "/session").json()["level"] == "passkey"
    assert sign_in(Browser(api.handler), laptop).status == 401
    assert sign_in(Browser(api.handler), phone).status == 201


def test_replacement__ends_when_a_passkey_is_used(
    api: MemoryApi, person: Browser, post: Post, laptop: Authenticator
) -> None:
    with_address(person, post)
    emailed(api, post).identity("POST", "/passkeys/replacement")
    api.clock.advance(hours=12)
    sign_in(person, laptop)
    api.clock.advance(hours=12)
    assert emailed(api, post).identity("POST", "/passkeys/register-challenge").code == "passkey_notice_required"


def test_replacement__whose_notice_fails__does_not_begin(api: MemoryApi, person: Browser, post: Post) -> None:
    with_address(person, post)
    browser = emailed(api, post)
    post.fails = True
    assert browser.identity("POST", "/passkeys/replacement").code == "mail_unavailable"
    api.clock.advance(hours=24)
    post.fails = False
    assert emailed(api, post).identity("POST", "/passkeys/register-challenge").code == "passkey_notice_required"


def test_invitation__of_an_admin__lets_a_member_add_a_passkey(
    api: MemoryApi, person: Browser, post: Post, tenant: Tenant
) -> None:
    address = {"email": "ben@shop.example", "role": "editor"}
    person.identity("POST", "/invitations", address)
    ben = Browser(api.handler)
    ben.identity("POST", "/invitations/accept", {"token": post.token})
    lost = Authenticator()
    assert enrol(ben, lost).status == 201
    api.clock.advance(seconds=1)
    person.identity("POST", "/invitations", address)
    later = Browser(api.handler)
    later.identity("POST", "/invitations/accept", {"token": post.token})
    assert enrol(later, Authenticator()).status == 201
    assert len(later.identity("GET", "/passkeys").json()["data"]) == 2


def test_invitation__of_another_organisation__adds_no_passkey(
    api: MemoryApi, person: Browser, owner: Browser, post: Post
) -> None:
    with_address(person, post)
    theirs = api.tenant("Theirs")
    stranger = Browser(api.handler, begun(api.management, theirs.user_id).token, shop_id=theirs.shop.id)
    assert stranger.identity("POST", "/invitations", {"email": "anna@shop.example", "role": "owner"}).status == 201
    reader = Browser(api.handler)
    assert reader.identity("POST", "/invitations/accept", {"token": post.token}).json()["level"] == "email"
    assert reader.identity("POST", "/passkeys/register-challenge").code == "passkey_notice_required"
    # A second one finds a member, whom the first one made.
    api.clock.advance(seconds=1)
    assert stranger.identity("POST", "/invitations", {"email": "anna@shop.example", "role": "owner"}).status == 201
    second = Browser(api.handler)
    assert second.identity("POST", "/invitations/accept", {"token": post.token}).json()["level"] == "email"
    assert second.identity("POST", "/passkeys/register-challenge").code == "passkey_notice_required"


def test_invitation__to_a_member_who_joined_with_a_passkey__adds_one(
    api: MemoryApi, person: Browser, post: Post
) -> None:
    with_address(person, post)
    theirs = api.tenant("Theirs")
    stranger = Browser(api.handler, begun(api.management, theirs.user_id).token, shop_id=theirs.shop.id)
    for each in (person, Browser(api.handler)):
        api.clock.advance(seconds=1)
        assert stranger.identity("POST", "/invitations", {"email": "anna@shop.example", "role": "viewer"}).status == 201
        assert each.identity("POST", "/invitations/accept", {"token": post.token}).status == 201
    assert enrol(each, Authenticator()).status == 201


def test_invitation__accepted_by_a_key__gives_a_user_with_passkeys_no_address(
    api: MemoryApi, person: Browser, owner: Browser, post: Post, tenant: Tenant
) -> None:
    assert person.identity("POST", "/invitations", {"email": "x@evil.example", "role": "viewer"}).status == 201
    holder = Browser(api.handler)
    holder.identity("POST", "/exchange", {"api_key": api.key(kind="user", user_id=tenant.user_id).text})
    assert holder.identity("POST", "/invitations/accept", {"token": post.token}).code == "passkey_required"


def test_emailed_code__of_a_user_without_passkeys__enrols_the_first(
    api: MemoryApi, owner: Browser, post: Post, laptop: Authenticator
) -> None:
    with_address(owner, post)
    browser = emailed(api, post)
    assert enrol(browser, laptop).status == 201
    assert browser.identity("GET", "/session").json()["level"] == "passkey"


def test_user__disabled__cannot_sign_in_and_has_no_session(
    api: MemoryApi, person: Browser, laptop: Authenticator, tenant: Tenant
) -> None:
    Users(api.world).set_disabled(tenant.user_id, disabled=True)
    assert (person.identity("GET", "/session").status, sign_in(Browser(api.handler), laptop).status) == (401, 401)


def test_challenges__of_one_address__are_limited(browser: Browser) -> None:
    answers = [browser.identity("POST", "/passkeys/challenge") for _ in range(CHALLENGES_PER_MINUTE + 1)]
    assert [answer.status for answer in answers] == [200] * CHALLENGES_PER_MINUTE + [429]
