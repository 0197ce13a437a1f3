"""Emailed codes: sign-in, the address of a user, and all that must not be learned from them."""

from __future__ import annotations

import pytest

from abtest.domain.identity.codes import CODES_PER_HOUR, MAX_TRIES, REQUESTS_PER_HOUR
from abtest.http.session_cookie import NONCE
from abtest.services.identity.codes import ANSWER_SECONDS
from tests.support.api import MemoryApi, Tenant
from tests.support.console import Browser, Post, begun

ADDRESS = "anna@shop.example"


def with_address(browser: Browser, post: Post, email: str = ADDRESS) -> None:
    """Give the user of a session an address."""
    assert browser.identity("POST", "/address", {"email": email}).status == 202
    answer = browser.identity("POST", "/address/verify", {"code": post.sent[-1].secret})
    assert (answer.status, answer.json()["user"]["email"]) == (200, email.casefold())


@pytest.fixture
def code(owner: Browser, browser: Browser, post: Post) -> str:
    """The code that the browser requested for the owner's address."""
    with_address(owner, post)
    assert browser.identity("POST", "/sign-in", {"email": "Anna@Shop.example"}).json() == {"expires_in": 600}
    return post.sent[-1].secret


def wrong(code: str) -> str:
    """Return another code."""
    return f"{(int(code) + 1) % 10**8:08}"


def test_code__typed_in_its_browser__begins_a_session_that_reads(browser: Browser, code: str, tenant: Tenant) -> None:
    answer = browser.identity("POST", "/sign-in/verify", {"code": f" {code} "})
    body = answer.json()
    assert (answer.status, body["level"], body["user"]["email"]) == (201, "email", ADDRESS)
    assert [shop["id"] for shop in body["shops"]] == [tenant.shop.id]
    browser.shop_id = tenant.shop.id
    assert browser.api.get("/shop").status == 200
    assert browser.api.patch("/shop/defaults", {}).code == "passkey_required"
    assert NONCE not in {name for name, value in browser.cookies.items() if value}


def test_code__is_eight_digits_in_one_mail(post: Post, code: str) -> None:
    assert (len(code), code.isdigit(), post.sent[-1].to) == (8, True, ADDRESS)
    assert code in post.sent[-1].text


def test_code__for_an_address_that_only_rules_of_case_make_the_same__is_refused(owner: Browser, post: Post) -> None:
    with_address(owner, post, "anna@gross.example")
    post.sent.clear()
    answer = Browser(owner.handler).identity("POST", "/sign-in", {"email": "anna@groß.example"})
    assert (answer.status, answer.paths, post.sent) == (400, ["email"], [])


@pytest.mark.parametrize("text", ["", "1", "12345678901", "１２３４５６７８", "abcdefgh"])
def test_code__of_another_form__is_refused(browser: Browser, code: str, text: str) -> None:
    assert browser.identity("POST", "/sign-in/verify", {"code": text}).status in (400, 401)


def test_code__used_once__is_gone(browser: Browser, code: str) -> None:
    browser.identity("POST", "/sign-in/verify", {"code": code})
    assert browser.identity("POST", "/sign-in/verify", {"code": code}).code == "invalid_code"


def test_code__in_another_browser__is_refused(api: MemoryApi, code: str) -> None:
    answer = Browser(api.handler).identity("POST", "/sign-in/verify", {"code": code})
    assert (answer.status, answer.code) == (401, "invalid_code")


def test_code__after_ten_minutes__is_refused(api: MemoryApi, browser: Browser, code: str) -> None:
    api.clock.advance(minutes=10)
    assert browser.identity("POST", "/sign-in/verify", {"code": code}).status == 401


def test_code__after_five_wrong_tries__is_refused(browser: Browser, code: str) -> None:
    for _ in range(MAX_TRIES):
        assert browser.identity("POST", "/sign-in/verify", {"code": wrong(code)}).status == 401
    assert browser.identity("POST", "/sign-in/verify", {"code": code}).status == 401


def test_code__after_four_wrong_tries__is_accepted(browser: Browser, code: str) -> None:
    for _ in range(MAX_TRIES - 1):
        browser.identity("POST", "/sign-in/verify", {"code": wrong(code)})
    assert browser.identity("POST", "/sign-in/verify", {"code": code}).status == 201


def test_request__for_an_unknown_address__answers_the_same_after_the_same_time(
    api: MemoryApi, code: str, post: Post, slept: list[float]
) -> None:
    headers = {"X-Request-Id": "the-same-request"}
    post.sent.clear()
    known, unknown = (
        Browser(api.handler).identity("POST", "/sign-in", {"email": email}, headers=headers)
        for email in (ADDRESS, "nobody@shop.example")
    )
    assert (known.status, known.body) == (unknown.status, unknown.body)
    assert known.headers.keys() == unknown.headers.keys()
    assert len(known.headers["set-cookie"]) == len(unknown.headers["set-cookie"])
    assert len(post.sent) == 1
    assert len(slept) == 4
    assert all(0 < seconds <= ANSWER_SECONDS for seconds in slept)


def test_request__whose_mail_fails__answers_the_same(api: MemoryApi, code: str, post: Post) -> None:
    post.fails = True
    assert Browser(api.handler).identity("POST", "/sign-in", {"email": ADDRESS}).status == 202


def test_request__in_a_deployment_without_mail__is_refused_for_everyone(browser: Browser, post: Post) -> None:
    post.is_configured = False
    answer = browser.identity("POST", "/sign-in", {"email": "nobody@shop.example"})
    assert (answer.status, answer.code) == (503, "mail_unavailable")


def test_requests__for_one_address__are_five_an_hour_known_or_not(api: MemoryApi, browser: Browser) -> None:
    for email in ("nobody@shop.example", "NOBODY@shop.example"):
        statuses = [browser.identity("POST", "/sign-in", {"email": email}).status for _ in range(CODES_PER_HOUR + 1)]
        assert statuses[-1] == 429
    api.clock.advance(hours=1)
    assert browser.identity("POST", "/sign-in", {"email": "nobody@shop.example"}).status == 202


def test_requests__of_one_client__are_limited_for_all_addresses(browser: Browser) -> None:
    answers = [
        browser.identity("POST", "/sign-in", {"email": f"a{number}@shop.example"})
        for number in range(REQUESTS_PER_HOUR + 1)
    ]
    assert answers[-1].code == "rate_limited"
    assert {answer.status for answer in answers[:-1]} == {202}


def test_tables__of_a_requested_code__have_neither_code_nor_nonce(api: MemoryApi, browser: Browser, code: str) -> None:
    kept = str(vars(api.management.sign_ins))
    assert code not in kept
    assert browser.cookies[NONCE] not in kept


def test_address__of_another_user__is_not_given_and_no_code_mailed(api: MemoryApi, owner: Browser, post: Post) -> None:
    with_address(owner, post)
    stranger = Browser(api.handler, begun(api.management, api.tenant("Theirs").user_id).token)
    post.sent.clear()
    assert stranger.identity("POST", "/address", {"email": ADDRESS}).status == 202
    assert post.sent == []
    assert stranger.identity("POST", "/address/verify", {"code": "12345678"}).status == 401


def test_address__changed__notifies_the_former_one(api: MemoryApi, owner: Browser, post: Post) -> None:
    with_address(owner, post)
    with_address(owner, post, "new@shop.example")
    assert (post.sent[-1].to, post.sent[-1].subject) == (ADDRESS, "The address of your account was changed")
    browser = Browser(api.handler)
    post.sent.clear()
    browser.identity("POST", "/sign-in", {"email": ADDRESS})
    assert post.sent == [], "the former address belongs to no one"


def test_address__of_a_code_for_sign_in__is_another_purpose(owner: Browser, post: Post) -> None:
    with_address(owner, post)
    owner.identity("POST", "/sign-in", {"email": ADDRESS})
    assert owner.identity("POST", "/address/verify", {"code": post.sent[-1].secret}).status == 401


def test_address__by_sessions_that_may_not__is_refused(
    api: MemoryApi, owner: Browser, post: Post, tenant: Tenant
) -> None:
    holder = Browser(api.handler)
    holder.identity("POST", "/exchange", {"api_key": tenant.admin})
    assert holder.identity("POST", "/address", {"email": ADDRESS}).code == "passkey_required"
    user_key = api.key(kind="user", user_id=tenant.user_id).text
    holder.identity("POST", "/exchange", {"api_key": user_key})
    with_address(holder, post)
    assert holder.identity("POST", "/address", {"email": "b@shop.example"}).code == "passkey_required"
    reader = Browser(api.handler, begun(api.management, tenant.user_id, level="email").token)
    assert reader.identity("POST", "/address", {"email": "b@shop.example"}).code == "passkey_required"


def test_name__by_a_session_that_only_reads__is_refused(api: MemoryApi, tenant: Tenant) -> None:
    reader = Browser(api.handler, begun(api.management, tenant.user_id, level="email").token)
    assert reader.identity("PATCH", "/user", {"name": "Another"}).code == "passkey_required"


def test_name__of_the_user__is_shown_to_others(owner: Browser) -> None:
    assert owner.identity("PATCH", "/user", {"name": "Anna"}).json()["user"]["name"] == "Anna"
    assert owner.identity("GET", "/members").json()["data"][0]["name"] == "Anna"
    assert owner.identity("PATCH", "/user", {"name": None}).json()["user"]["name"] is None
    assert owner.identity("PATCH", "/user", {"name": "A\nB"}).status == 400
