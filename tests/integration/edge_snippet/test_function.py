"""The snippet function on the template's bucket and tables, with the real SDK."""

import json
from base64 import b64decode

import brotli
import quickjs

from abtest.storefront import bundle
from tests.support.handlers import fresh_handler
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack
from tests.support.published import PublishedShop
from tests.support.storefronts import experiment, variation


def test_function__given_its_sample_events__answers_them(aws_stack: AwsStack) -> None:
    shop = PublishedShop(aws_stack)
    shop.keep(experiment(variations=(variation(0), variation(1, custom_js="return '</script>'"))))
    assert shop.publish().ok
    handler = fresh_handler(aws_stack, "EdgeSnippet", "edge_snippet")

    answer = handler(sample("edge_snippet__first_load"), Context())
    assert answer["statusCode"] == 200
    snippet = brotli.decompress(b64decode(answer["body"])).decode()
    expression = bundle().strip().removesuffix(";")
    assert snippet.startswith(expression)
    assert "</script" not in snippet.removeprefix(expression)

    # The SDK needs a page; what it is called with can be looked at without one.
    arguments = snippet.removeprefix(expression).rstrip(";\n")
    called = quickjs.Context().eval(f"JSON.stringify((function(){{return arguments}}){arguments})")
    config = json.loads(called)["0"]
    assert config["experiments"][0]["variations"][1]["js"] == 0

    refused = handler(sample("edge_snippet__invalid_shop_id"), Context())
    assert (refused["statusCode"], refused["body"][:3]) == (400, "// ")
