"""The request as the log tells it: the body to the byte, and the headers that are ours."""

from __future__ import annotations

import re
from pathlib import Path

from abtest.contract.webhooks import WebhookRequest
from tests.integration.worker_webhooks.office import Office
from tests.support.inbox import Inbox

PAGE = (Path(__file__).parents[3] / "docs" / "webhooks.md").read_text()


def test_request__as_it_is_told__lacks_the_headers_that_are_named_for_it(office: Office, receiver: Inbox) -> None:
    webhook = office.endpoint(receiver.url)
    office.happens()
    office.work()
    (arrival,), told = receiver.arrived, office.one(webhook).request
    assert told
    headers = told["headers"]
    assert told["body"].encode() == arrival.body
    assert headers == {name: value for name, value in arrival.headers.items() if name in headers}
    untold = {name.lower() for name in arrival.headers if name not in headers}
    for text in (PAGE.partition("all headers but ")[2].partition(",\n")[0], WebhookRequest.__doc__ or ""):
        assert {name.lower() for name in re.findall("`([A-Z][A-Za-z-]+)`", text)} == untold
