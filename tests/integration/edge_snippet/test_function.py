"""The snippet function on the template's bucket and tables, with the real SDK."""

import json
from base64 import b64decode
from typing import Any

import brotli
import quickjs

from tests.support.delivered import experience, keep, personalization
from tests.support.handlers import fresh_handler
from tests.support.invocations import Context, http, sample
from tests.support.moto_stack import AwsStack
from tests.support.published import PublishedShop
from tests.support.storefronts import experiment, variation


def config_in(snippet: str) -> dict[str, Any]:
    """The SDK needs a page; what it is called with can be looked at without one."""
    arguments = snippet[snippet.index("})()({") + len("})()") :].rstrip(";\n")
    told = quickjs.Context().eval(f"(function(){{return JSON.stringify(arguments[0])}}){arguments}")
    config: dict[str, Any] = json.loads(told)
    return config


def test_function__given_its_sample_events__answers_them(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    shop.keep(experiment(variations=(variation(0), variation(1, custom_js="return '</script>'"))))
    assert shop.publish().ok
    handler = fresh_handler(aws_stack, "EdgeSnippet", "edge_snippet")

    answer = handler(sample("edge_snippet__first_load"), Context())
    assert answer["statusCode"] == 200
    snippet = brotli.decompress(b64decode(answer["body"])).decode()
    assert snippet.startswith("(()=>{")
    assert "</script" not in snippet

    assert config_in(snippet)["experiments"][0]["variations"][1]["js"] == 0

    refused = handler(sample("edge_snippet__invalid_shop_id"), Context())
    assert (refused["statusCode"], refused["body"][:3]) == (400, "// ")


def test_function__asked_for_an_environment__serves_its_snippet(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    shown = experience(custom_js="return 1", reset_js="return 2", anti_flicker_selectors=(".hero",))
    keep(shop.catalog, personalization(environment_key="staging", experiences=(shown,)))
    assert shop.publish().ok
    handler = fresh_handler(aws_stack, "EdgeSnippet", "edge_snippet")
    staging = handler(http("edge_snippet__first_load", query={"env": "staging"}), Context())
    config = config_in(brotli.decompress(b64decode(staging["body"])).decode())
    (experience_sent,) = config["personalizations"][0]["experiences"]
    assert {experience_sent["js"], experience_sent["reset_js"]} == {0, 1}
    assert experience_sent["hide"] == [".hero"]
    production = handler(sample("edge_snippet__first_load"), Context())
    assert "personalizations" not in config_in(brotli.decompress(b64decode(production["body"])).decode())
