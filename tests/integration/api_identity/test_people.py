"""Members and invitations of an organisation."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.domain.identity.people import MAX_INVITATIONS
from abtest.domain.identity.roles import ROLES, Role
from abtest.services.identity.people import INVITATIONS_PER_HOUR
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Answer
from tests.support.console import Browser, Post, begun

ADDRESS = "anna@agency.example"


def invite(browser: Browser, role: str = "editor", email: str = ADDRESS, **fields: Any) -> Answer:
    return browser.identity("POST", "/invitations", {"email": email, "role": role, **fields})


def joined(owner: Browser, post: Post, role: str = "editor", email: str = ADDRESS, **fields: Any) -> Browser:
    """Return the browser of a person who was invited and has accepted, with a session of full strength."""
    assert invite(owner, role, email, **fields).status == 201
    browser = Browser(owner.handler, shop_id=owner.shop_id)
    assert browser.identity("POST", "/invitations/accept", {"token": post.token}).status == 201
    return browser


def strong(api: MemoryApi, browser: Browser) -> Browser:
    """The same person after a passkey."""
    user_id = browser.identity("GET", "/session").json()["user"]["id"]
    session = begun(api.management, user_id, level="passkey", verified_at=api.world.now())
    return Browser(browser.handler, session.token, shop_id=browser.shop_id)


def members(browser: Browser) -> list[tuple[str | None, str]]:
    return [(each["email"], each["role"]) for each in browser.identity("GET", "/members").json()["data"]]


def test_invitation__accepted_by_a_new_person__makes_a_member(
    api: MemoryApi, owner: Browser, post: Post, tenant: Tenant
) -> None:
    answer = invite(owner)
    assert (answer.status, answer.json()["email"], answer.json()["is_open"]) == (201, ADDRESS, True)
    assert post.token not in answer.body.decode()
    (mail,) = post.sent
    assert (mail.to, mail.subject) == (ADDRESS, "Invitation to Shop")
    assert f"https://api.test/console#invite={post.token}" in mail.text
    browser = Browser(api.handler, shop_id=owner.shop_id)
    body = browser.identity("POST", "/invitations/accept", {"token": post.token}).json()
    assert (body["level"], body["user"]["email"]) == ("email", ADDRESS)
    assert [(shop["id"], shop["role"]) for shop in body["shops"]] == [(tenant.shop.id, "editor")]
    assert browser.api.get("/shop").status == 200
    assert members(owner) == [(None, "owner"), (ADDRESS, "editor")]
    assert owner.identity("GET", "/invitations").json()["data"] == []
    used = Browser(api.handler).identity("POST", "/invitations/accept", {"token": post.token})
    assert (used.status, used.code) == (404, "not_found")


def test_invitation__after_seven_days__is_over(api: MemoryApi, owner: Browser, post: Post) -> None:
    invite(owner)
    api.clock.advance(days=7)
    assert Browser(api.handler).identity("POST", "/invitations/accept", {"token": post.token}).status == 404


def test_invitation__to_the_same_address__ends_the_former_one(api: MemoryApi, owner: Browser, post: Post) -> None:
    invite(owner)
    former = post.token
    api.clock.advance(seconds=1)
    invite(owner, email="Anna@Agency.example", role="viewer")
    (left,) = owner.identity("GET", "/invitations").json()["data"]
    assert (left["role"], left["email"]) == ("viewer", ADDRESS)
    assert Browser(api.handler).identity("POST", "/invitations/accept", {"token": former}).status == 404


def test_invitation__revoked__is_over(api: MemoryApi, owner: Browser, post: Post) -> None:
    invitation = invite(owner).json()["id"]
    assert owner.identity("DELETE", f"/invitations/{invitation}").status == 204
    assert owner.identity("DELETE", f"/invitations/{invitation}").status == 404
    assert Browser(api.handler).identity("POST", "/invitations/accept", {"token": post.token}).status == 404


def test_invitation__whose_mail_fails__is_not_kept(owner: Browser, post: Post) -> None:
    post.fails = True
    answer = invite(owner)
    assert (answer.status, answer.code) == (503, "mail_unavailable")
    assert owner.identity("GET", "/invitations").json()["data"] == []


def test_invitations__many__are_limited(api: MemoryApi, owner: Browser) -> None:
    for number in range(INVITATIONS_PER_HOUR):
        assert invite(owner, email=f"a{number}@shop.example").status == 201
    assert invite(owner).code == "rate_limited"
    for number in range(MAX_INVITATIONS - INVITATIONS_PER_HOUR):
        api.clock.advance(minutes=3)
        owner.token = begun(api.management, owner_id(owner)).token
        assert invite(owner, email=f"b{number}@shop.example").status == 201
    api.clock.advance(minutes=3)
    assert invite(owner).code == "limit_reached"


def owner_id(browser: Browser) -> str:
    return str(browser.identity("GET", "/session").json()["user"]["id"])


def roles(body: dict[str, Any]) -> set[tuple[str, str]]:
    return {(shop["name"], shop["role"]) for shop in body["shops"]}


def test_invitation__accepted_as_the_signed_in_owner_of_a_key__gives_the_address(
    api: MemoryApi, owner: Browser, post: Post
) -> None:
    agency = api.tenant("Agency")
    theirs = Browser(api.handler)
    theirs.identity("POST", "/exchange", {"api_key": api.key(kind="user", user_id=agency.user_id).text})
    invite(owner)
    body = theirs.identity("POST", "/invitations/accept", {"token": post.token}).json()
    assert (body["user"], body["level"]) == ({"id": agency.user_id, "email": ADDRESS, "name": None}, "key")
    assert roles(body) == {("Agency", "owner")}, "other organisations trust no key of its user"
    theirs.shop_id = owner.shop_id
    assert theirs.api.get(f"/goals/{agency.user_id}").json()["error"]["message"] == "there is no such shop"
    signed_in = Browser(api.handler, begun(api.management, agency.user_id, level="passkey").token)
    assert roles(signed_in.identity("GET", "/session").json()) == {("Agency", "owner"), ("Shop", "editor")}


def test_invitation__for_another_address__is_refused(api: MemoryApi, owner: Browser, post: Post) -> None:
    person = joined(owner, post)
    invite(owner, email="other@agency.example")
    answer = person.identity("POST", "/invitations/accept", {"token": post.token})
    assert (answer.status, answer.code) == (409, "other_address")
    assert Browser(api.handler).identity("POST", "/invitations/accept", {"token": post.token}).status == 201


def test_invitation__accepted_by_a_member__changes_nothing(owner: Browser, post: Post) -> None:
    joined(owner, post, "editor")
    joined(owner, post, "viewer")
    assert members(owner) == [(None, "owner"), (ADDRESS, "editor")]


@pytest.mark.parametrize("role", ROLES)
def test_role__of_a_member__has_its_scopes(api: MemoryApi, owner: Browser, post: Post, role: Role) -> None:
    person = joined(owner, post, role)
    (shop,) = person.identity("GET", "/session").json()["shops"]
    assert (shop["role"], frozenset(shop["scopes"])) == (role, ROLES[role])
    assert person.api.get("/shops").code == "user_key_required"
    listed = person.identity("GET", "/members")
    assert (listed.status, role == "client") in ((200, False), (403, True))
    invited = invite(strong(api, person), email="x@agency.example")
    assert (invited.status == 201) is (role in ("admin", "owner"))
    if invited.status != 201:
        assert invited.code == "insufficient_role"


def test_admin__invites_up_to_admin_and_touches_no_owner(api: MemoryApi, owner: Browser, post: Post) -> None:
    admin = strong(api, joined(owner, post, "admin"))
    second = strong(api, joined(owner, post, "owner", "second@shop.example"))
    assert invite(admin, "admin", "b@shop.example").status == 201
    assert invite(admin, "owner", "c@shop.example").code == "insufficient_role"
    second_id = owner_id(second)
    assert admin.identity("PATCH", f"/members/{second_id}", {"role": "viewer"}).code == "insufficient_role"
    assert admin.identity("DELETE", f"/members/{second_id}").code == "insufficient_role"
    assert admin.identity("PATCH", f"/members/{owner_id(admin)}", {"role": "owner"}).code == "insufficient_role"
    assert second.identity("PATCH", f"/members/{owner_id(admin)}", {"role": "owner"}).status == 200


def test_admin__who_invites_an_invited_owner__is_refused(api: MemoryApi, owner: Browser, post: Post) -> None:
    admin = strong(api, joined(owner, post, "admin"))
    assert invite(owner, "owner", "c@shop.example").status == 201
    assert invite(admin, "viewer", "C@shop.example").code == "insufficient_role"
    (left,) = owner.identity("GET", "/invitations").json()["data"]
    assert left["role"] == "owner"
    assert Browser(api.handler).identity("POST", "/invitations/accept", {"token": post.token}).status == 201


@pytest.mark.parametrize("ending", [{"role": "viewer"}, {"is_disabled": True}, None])
def test_invitation__of_an_admin_who_may_not_invite_any_more__is_over(
    api: MemoryApi, owner: Browser, post: Post, ending: dict[str, Any] | None
) -> None:
    admin = strong(api, joined(owner, post, "admin"))
    assert invite(admin, "admin", "second@agency.example").status == 201
    token, path = post.token, f"/members/{owner_id(admin)}"
    assert owner.identity("PATCH" if ending else "DELETE", path, ending).status in (200, 204)
    (left,) = owner.identity("GET", "/invitations").json()["data"]
    assert left["is_open"] is False
    assert Browser(api.handler).identity("POST", "/invitations/accept", {"token": token}).status == 404
    if ending == {"role": "viewer"}:
        owner.identity("PATCH", path, {"role": "admin"})
        assert Browser(api.handler).identity("POST", "/invitations/accept", {"token": token}).status == 201


def test_owner__whose_organisation_it_is__cannot_be_removed(api: MemoryApi, owner: Browser, post: Post) -> None:
    second = strong(api, joined(owner, post, "owner"))
    user_id = owner_id(owner)
    for method, body in (("PATCH", {"role": "viewer"}), ("PATCH", {"is_disabled": True}), ("DELETE", None)):
        for browser in (owner, second):
            answer = browser.identity(method, f"/members/{user_id}", body)
            assert (answer.status, answer.code) == (409, "last_owner")


@pytest.mark.parametrize("ending", ["remove", "disable"])
def test_member__removed_or_disabled__is_out_for_writes_at_once_and_for_reads_within_ten_seconds(
    api: MemoryApi, owner: Browser, post: Post, ending: str
) -> None:
    person = strong(api, joined(owner, post, "admin"))
    assert person.api.get("/shop").status == 200
    path = f"/members/{owner_id(person)}"
    if ending == "remove":
        assert owner.identity("DELETE", path).status == 204
    else:
        assert owner.identity("PATCH", path, {"is_disabled": True}).json()["disabled_at"]
    assert person.api.patch("/shop/defaults", {}, checked=False).status == 404
    api.clock.advance(seconds=10)
    assert person.api.get("/shop", checked=False).status == 404
    assert person.identity("GET", "/members").status == 404
    assert person.identity("GET", "/session").json()["shops"] == []
    if ending == "disable":
        assert owner.identity("PATCH", path, {"is_disabled": False}).json()["disabled_at"] is None
        assert person.api.patch("/shop/defaults", {}).status == 200


def test_member__demoted__loses_scopes_for_writes_at_once(api: MemoryApi, owner: Browser, post: Post) -> None:
    person = strong(api, joined(owner, post, "admin"))
    assert person.api.patch("/shop/defaults", {}).status == 200
    owner.identity("PATCH", f"/members/{owner_id(person)}", {"role": "viewer"})
    assert person.api.patch("/shop/defaults", {}).code == "insufficient_scope"


def test_member__of_some_shops__reaches_no_others(api: MemoryApi, owner: Browser, post: Post, tenant: Tenant) -> None:
    second = owner.api.post("/shops", {"name": "Second", "domain": "b.example", "currency": "EUR"}).json()["id"]
    person = strong(api, joined(owner, post, "admin", shop_ids=[second]))
    assert [shop["id"] for shop in person.identity("GET", "/session").json()["shops"]] == [second]
    assert person.api.get("/shop", checked=False).status == 404
    person.shop_id = second
    assert person.api.get("/shop").status == 200
    assert invite(person, email="x@shop.example").code == "insufficient_role"
    assert invite(person, email="x@shop.example", shop_ids=[second]).status == 201
    unknown = invite(owner, email="y@shop.example", shop_ids=[api.tenant("Theirs").shop.id])
    assert (unknown.status, unknown.paths) == (422, ["shop_ids[0]"])
    path = f"/members/{owner_id(person)}"
    assert owner.identity("PATCH", path, {"shop_ids": None}).json()["shop_ids"] is None
    person.shop_id = tenant.shop.id
    assert person.api.patch("/shop/defaults", {}).status == 200


def test_member__leaves__by_removing_itself(api: MemoryApi, owner: Browser, post: Post) -> None:
    person = strong(api, joined(owner, post, "viewer"))
    assert person.identity("DELETE", f"/members/{owner_id(person)}").status == 204
    assert members(owner) == [(None, "owner")]


def test_people__of_another_organisation__are_unknown(api: MemoryApi, owner: Browser, post: Post) -> None:
    person = joined(owner, post)
    stranger = api.tenant("Theirs")
    theirs = Browser(api.handler, begun(api.management, stranger.user_id).token, shop_id=stranger.shop.id)
    assert theirs.identity("DELETE", f"/members/{owner_id(person)}").status == 404
    assert theirs.identity("PATCH", f"/members/{owner_id(person)}", {"role": "viewer"}).status == 404
    theirs.shop_id = owner.shop_id
    assert theirs.identity("GET", "/members").status == 404


def test_people__for_a_session_of_a_shop_key__are_out_of_reach(api: MemoryApi, owner: Browser, tenant: Tenant) -> None:
    browser = Browser(api.handler, shop_id=tenant.shop.id)
    browser.identity("POST", "/exchange", {"api_key": tenant.admin})
    assert browser.identity("GET", "/members").code == "insufficient_role"
    assert invite(browser).code == "insufficient_role"


def test_people__changed_without_a_recent_passkey__is_refused(api: MemoryApi, owner: Browser, post: Post) -> None:
    person = strong(api, joined(owner, post, "admin"))
    api.clock.advance(minutes=10)
    assert invite(person, email="x@shop.example").code == "passkey_required"
    assert person.identity("GET", "/members").status == 200


def test_audit__of_people__names_who_and_what(api: MemoryApi, owner: Browser, post: Post, tenant: Tenant) -> None:
    person = joined(owner, post)
    api.clock.advance(seconds=1)
    user_id = owner_id(person)
    owner.identity("PATCH", f"/members/{user_id}", {"role": "admin"})
    api.clock.advance(seconds=1)
    owner.identity("DELETE", f"/members/{user_id}")
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=None, limit=20)
    people = [row for row in rows if row.entity_type in ("member", "invitation")]
    assert sorted((row.action, row.user_id == tenant.user_id) for row in people) == [
        ("invitation.accept", False),
        ("invitation.create", True),
        ("member.delete", True),
        ("member.join", False),
        ("member.update", True),
    ]
    update = next(row for row in people if row.action == "member.update")
    assert (update.entity_id, update.entity_name, update.diff) == (user_id, ADDRESS, {"role": ["editor", "admin"]})


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"email": "no", "role": "viewer"}, "email"),
        ({"email": "a@b.example\nBcc: c@d.example", "role": "viewer"}, "email"),
        ({"email": ADDRESS, "role": "god"}, "role"),
        ({"email": ADDRESS, "role": "viewer", "shop_ids": []}, "shop_ids"),
        ({"email": ADDRESS, "role": "viewer", "more": 1}, "more"),
    ],
)
def test_invitation__with_bad_fields__names_them(owner: Browser, body: dict[str, Any], path: str) -> None:
    answer = owner.identity("POST", "/invitations", body)
    assert (answer.status, answer.paths) == (400, [path])
