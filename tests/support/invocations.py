"""The events that the platform hands to handlers, from the shelf in `events/`."""

import json
from pathlib import Path
from typing import Any

EVENTS = Path(__file__).parents[2] / "events"

Event = dict[str, Any]


class Context:
    """What the platform tells a handler about its invocation."""

    function_name = "function"
    memory_limit_in_mb = 512
    invoked_function_arn = "arn:aws:lambda:us-east-1:000000000000:function:function"
    aws_request_id = "52fdfc07-2182-454f-963f-5f0f9a621d72"


def sample(name: str) -> Event:
    """An event of `events/`, by its file's name without ending."""
    event: Event = json.loads((EVENTS / f"{name}.json").read_text())
    return event


def http(name: str, **changes: Any) -> Event:
    """A sample HTTP event with another `method`, `query`, `path` parameters, `address` or further `headers`.

    A header that is None is taken away.
    """
    event = sample(name)
    http_context = event["requestContext"]["http"]
    http_context["method"] = changes.get("method", http_context["method"])
    http_context["sourceIp"] = changes.get("address", http_context["sourceIp"])
    event["queryStringParameters"] = changes.get("query", event.get("queryStringParameters", {}))
    event["pathParameters"] = changes.get("path", event.get("pathParameters", {}))
    headers = {**event["headers"], **changes.get("headers", {})}
    event["headers"] = {header: value for header, value in headers.items() if value is not None}
    return event
