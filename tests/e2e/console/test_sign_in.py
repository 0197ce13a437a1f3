"""Sign-in to the console of a running stack: exchange of a key, reads by its cookie, sign-out; one-time entry."""

from typing import Any

import pytest
import requests

from tests.support.console import SAME_ORIGIN

pytestmark = pytest.mark.stack


def test_console__key_exchanged__reads_with_the_cookie_until_signed_out(stack: dict[str, Any]) -> None:
    root = stack["base_url"].removesuffix("/api/v1")
    with requests.Session() as browser:
        browser.headers.update(SAME_ORIGIN)
        answer = browser.post(f"{root}/console/identity/exchange", json={"api_key": stack["api_key"]}, timeout=30)
        assert (answer.status_code, answer.json()["shops"][0]["id"]) == (201, stack["shop_id"])
        # The library sends Secure cookies over https only; browsers also send them to localhost.
        cookie = {"Cookie": answer.headers["set-cookie"].partition(";")[0]}
        headers = {**cookie, "X-Svc-Shop": stack["shop_id"]}
        listed = browser.get(f"{stack['base_url']}/experiments", headers=headers, timeout=30)
        assert (listed.status_code, "data" in listed.json()) == (200, True)
        assert browser.delete(f"{root}/console/identity/session", headers=cookie, timeout=30).status_code == 204
        written = browser.post(f"{stack['base_url']}/experiments", json={"name": "No"}, headers=headers, timeout=30)
        assert (written.status_code, written.json()["error"]["code"]) == (401, "sign_in_required")


def test_console__one_time_entry__signs_in_once(stack: dict[str, Any]) -> None:
    root = stack["base_url"].removesuffix("/api/v1")
    address, _, token = stack["console_url"].partition("#enter=")
    assert address == f"{root.replace('127.0.0.1', 'localhost')}/console"
    entered = [
        requests.post(f"{root}/console/identity/enter", json={"token": token}, headers=SAME_ORIGIN, timeout=30)
        for _ in range(2)
    ]
    assert [answer.status_code for answer in entered] == [201, 401]
    (shop,) = [shop for shop in entered[0].json()["shops"] if shop["id"] == stack["shop_id"]]
    assert shop["role"] == "owner"
