"""Sessions on every route: no cookie, another page, ended, too weak, of another shop, of a lower role."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.domain.identity.roles import ROLES
from tests.integration.bad_input.conftest import KEYED, Operation, World
from tests.support.client import Answer
from tests.support.console import Browser, begun

SAME = {"X-Request-Id": "the-same-request"}
SHOP_ROUTES = [operation for operation in KEYED if not operation.takes_user_keys_only]


def signed_in(world: World, **fields: Any) -> Browser:
    """Return a browser with a session of my user."""
    token = begun(world.api.management, world.mine.user_id, **fields).token
    return Browser(world.api.handler, token, shop_id=world.mine.shop.id)


def called(world: World, browser: Browser, operation: Operation, **options: Any) -> Answer:
    """Return the answer to a request whose body is never read, because admission comes first."""
    body = None if operation.method == "GET" else "not even JSON"
    return world.call(browser.api, operation, raw=body, checked=False, headers=SAME, **options)


def outcome(answer: Answer) -> tuple[int, str]:
    """Return status and code of a refusal."""
    return answer.status, answer.code


@pytest.mark.parametrize("operation", KEYED, ids=str)
def test_session__missing_ended_or_of_another_page__is_refused(world: World, operation: Operation) -> None:
    browser = signed_in(world)
    session = world.api.management.session_admission.identify(browser.token, fresh=True).session
    browser.headers = {"Sec-Fetch-Site": "cross-site"}
    assert outcome(called(world, browser, operation)) == (403, "cross_site_request")
    browser.headers = {"cookie": ""}
    assert outcome(called(world, browser, operation)) == (401, "sign_in_required")
    browser.headers = {}
    world.api.management.session_store.end(session)
    world.api.management.session_admission.forget(session)
    assert outcome(called(world, browser, operation)) == (401, "sign_in_required")


@pytest.mark.parametrize("operation", SHOP_ROUTES, ids=str)
def test_session__in_a_shop_of_another_user__is_404_as_for_an_unknown_one(world: World, operation: Operation) -> None:
    browser = signed_in(world)
    browser.shop_id = world.theirs.shop.id
    answer = called(world, browser, operation)
    assert (answer.status, answer.code) == (404, "not_found")
    browser.shop_id = "0192e4a0-ffff-7000-8000-000000000000"
    assert called(world, browser, operation).body == answer.body


@pytest.mark.parametrize("operation", KEYED, ids=str)
def test_session__by_an_emailed_code__only_reads(world: World, operation: Operation) -> None:
    answer = called(world, signed_in(world, level="email"), operation)
    if operation.method == "GET":
        assert answer.status not in (401, 403), answer.body
    else:
        assert outcome(answer) == (403, "passkey_required")


@pytest.mark.parametrize("operation", SHOP_ROUTES, ids=str)
def test_session__of_a_lower_role__is_refused_like_a_key_without_the_scope(world: World, operation: Operation) -> None:
    browser = signed_in(world, level="key", key_id=world.viewer_key_id(), key_shop_id=world.mine.shop.id)
    answer = called(world, browser, operation)
    if operation.scope is None or operation.scope in ROLES["viewer"]:
        assert answer.status not in (401, 403), answer.body
    else:
        assert outcome(answer) == (403, "insufficient_scope")
        assert answer.json()["required_scope"] == operation.scope
