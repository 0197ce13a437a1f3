"""Preview links as they are deployed: made by a family, read by the edge, with the policies of the template."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from abtest.domain.delivery.chunks import INLINE_BYTES
from abtest.domain.settings.install_domains import claim_name
from abtest.ports.catalog import Claim, Commit
from abtest.storefront import bar, qa_tool
from abtest.wiring.api import management
from tests.support.client import Client
from tests.support.deployed import DeployedFamily
from tests.support.handlers import Handler, fresh_handler
from tests.support.invocations import Context, http
from tests.support.moto_stack import AwsStack
from tests.support.preview_links import text_of

URL = "https://shop.example/lamps"
LONG = f"return '{'1' * INLINE_BYTES}'"
FAMILIES: Mapping[str, tuple[str, str, str, Mapping[str, Any]]] = {
    "experiment": ("ApiExperiments", "api_experiments", "/experiments", {"name": "Draft"}),
    "personalization": ("ApiPersonalizations", "api_personalizations", "/personalizations", {"name": "P", "key": "p"}),
    "flag": ("ApiFlags", "api_flags", "/flags", {"name": "F", "key": "f"}),
}


def made(client: Client, kind: str) -> tuple[str, str]:
    """Make a draft, and return its id and the path of its links."""
    _, _, path, body = FAMILIES[kind]
    answer = client.post(path, dict(body))
    assert answer.status == 201, answer.body
    draft = answer.json()
    alone = f"{path}/{draft['id']}"
    if kind != "experiment":
        return draft["id"], f"{alone}/preview-link"
    variation = draft["variations"][1]["id"]
    assert client.patch(f"/variations/{variation}", {"custom_js": LONG}).status == 200
    return draft["id"], f"{alone}/variations/{variation}/preview-link"


@pytest.mark.parametrize("kind", FAMILIES)
def test_link__of_each_kind__is_shown_until_it_is_revoked(aws_stack: AwsStack, kind: str) -> None:
    deployed = DeployedFamily.started(aws_stack, *FAMILIES[kind][:2])
    shop_id = deployed.tenant.shop.id
    claim = Claim(scope=None, name=claim_name("shop.example"), target_id="x", target_shop_id=shop_id)
    management().world.catalog.commit(Commit(claims=[claim]))
    draft_id, path = made(deployed.client, kind)
    answer = deployed.client.post(path, {"url": URL})
    assert answer.status == 201, answer.body
    link = answer.json()

    snippet = fresh_handler(aws_stack, "EdgeSnippet", "edge_snippet")
    call = call_of(snippet, shop_id, link["token"])
    shown = outcome(call)
    assert (shown["preview"]["state"], shown["preview"]["id"]) == ("shown", draft_id)
    if kind == "experiment":
        assert LONG in long_code(snippet, shop_id, call)

    config = fresh_handler(aws_stack, "EdgeConfig", "edge_config")
    seen = config(http("edge_config__public", query={"shopId": shop_id, "pst": link["token"]}), Context())
    assert json.loads(text_of(seen))["preview"]["id"] == draft_id

    sessions = deployed.calling("ApiExperiments", "api_experiments")
    assert sessions.get(f"/previews/{link['session_id']}").json()["preview_url"] == link["url"]
    assert sessions.delete(f"/previews/{link['session_id']}").status == 204
    snippet = fresh_handler(aws_stack, "EdgeSnippet", "edge_snippet")
    assert outcome(call_of(snippet, shop_id, link["token"]))["preview"]["state"] == "ended"


def call_of(snippet: Handler, shop_id: str, token: str) -> str:
    """Return the script of a preview."""
    event = http("edge_snippet__first_load", path={"file": f"{shop_id}.js"}, query={"svc_preview": token})
    return text_of(snippet(event, Context()))


def outcome(call: str) -> Any:
    """Return the first argument of a call of the tool."""
    argument, _, _ = call.removeprefix(f"{qa_tool().strip()}(").rpartition(",[")
    return json.loads(argument)


def long_code(snippet: Handler, shop_id: str, call: str) -> str:
    """Return the chunk that the last argument names."""
    name = call.rpartition(',["')[2].partition('"')[0]
    return text_of(snippet(http("edge_snippet__chunk", path={"shop_id": shop_id, "file": f"{name}.js"}), Context()))


def test_tools__for_qa_and_the_bar__are_the_packaged_ones(aws_stack: AwsStack) -> None:
    deployed = DeployedFamily.started(aws_stack, "ApiFlags", "api_flags")
    path = {"file": f"{deployed.tenant.shop.id}.js"}
    snippet = fresh_handler(aws_stack, "EdgeSnippet", "edge_snippet")
    qa = text_of(snippet(http("edge_snippet__first_load", path=path, query={"svc_qa": "1"}), Context()))
    assert qa == f'{qa_tool().strip()}({{"names":{{}}}},[]);\n//# sourceURL=svc-tool.js\n'
    shown = snippet(http("edge_snippet__first_load", path=path, query={"svc_bar": "1"}), Context())
    assert text_of(shown) == bar()
