"""Sign-in as it is deployed: one function makes the session, others admit it, each under its own policy."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.console import Browser
from tests.support.handlers import Handler, fresh_handler
from tests.support.invocations import sample
from tests.support.moto_stack import AwsStack
from tools.admin.__main__ import main


@pytest.fixture
def handler(aws_stack: AwsStack) -> Handler:
    return fresh_handler(aws_stack, "ApiIdentity", "api_identity")


@pytest.fixture
def shop(aws_stack: AwsStack, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    fresh_handler(aws_stack, "ApiSettings", "api_settings")  # the operator has its environment
    capsys.readouterr()
    main(["shops", "create", "--name", "First", "--domain", "first.example", "--currency", "EUR", "--with", "user"])
    made: dict[str, Any] = json.loads(capsys.readouterr().out)
    return made


def test_session__made_by_one_function__is_admitted_by_others_until_it_ends(
    aws_stack: AwsStack, shop: dict[str, Any]
) -> None:
    browser = Browser(fresh_handler(aws_stack, "ApiIdentity", "api_identity"), shop_id=shop["shop_id"])
    assert browser.identity("POST", "/exchange", {"api_key": shop["api_key"]}).status == 201
    (session,) = browser.identity("GET", "/sessions").json()["data"]
    settings = Browser(fresh_handler(aws_stack, "ApiSettings", "api_settings"), browser.token, shop_id=shop["shop_id"])
    assert settings.api.get("/shop").json()["id"] == shop["shop_id"]
    assert settings.api.patch("/shop", {}).status in (404, 405)
    flags = Browser(fresh_handler(aws_stack, "ApiFlags", "api_flags"), browser.token, shop_id=shop["shop_id"])
    flag = {"key": "one", "name": "One"}
    assert flags.api.post("/flags", flag, headers={"Idempotency-Key": "one"}).status == 201
    assert flags.api.post("/flags", flag, headers={"Idempotency-Key": "one"}).headers["idempotent-replayed"] == "true"
    browser.handler = fresh_handler(aws_stack, "ApiIdentity", "api_identity")
    assert session["is_current"]
    assert browser.identity("POST", "/sessions/end-others").status == 204
    assert browser.identity("DELETE", "/session").status == 204
    flags.handler = fresh_handler(aws_stack, "ApiFlags", "api_flags")
    assert flags.api.get("/flags").code == "sign_in_required"


@pytest.mark.parametrize(
    ("name", "status"),
    [("no_session", 401), ("cross_site", 403), ("no_local_entry", 404)],
)
def test_sample_event__is_refused(handler: Handler, name: str, status: int) -> None:
    assert handler(sample(f"api_identity__{name}"), None)["statusCode"] == status
