"""Webhooks of the document: the requests that subscribed endpoints receive, from the catalogue of events."""

from typing import Any

from abtest.domain.webhooks.catalogue import EVENTS, EventType

Json = dict[str, Any]

_HEADERS: tuple[tuple[str, str, bool, Json], ...] = (
    ("X-Service-Event", "Name of the event.", True, {"type": "string"}),
    ("X-Service-Delivery-Id", "Id of the delivery, the same at each attempt.", True, {"type": "string"}),
    ("webhook-id", "Id of the delivery, as Standard Webhooks names it.", True, {"type": "string"}),
    ("webhook-timestamp", "When this attempt was written, in Unix seconds.", True, {"type": "string"}),
    (
        "webhook-signature",
        "`v1,` and a base64 signature over id, time and body; two of them while a secret is rotated.",
        True,
        {"type": "string"},
    ),
    ("X-Service-Signature", "`sha256=` and a hex signature over the body.", True, {"type": "string"}),
    (
        "X-Service-Signature-Previous",
        "The same with the previous secret, during a rotation.",
        False,
        {"type": "string"},
    ),
)
_PARAMETERS: Json = {
    name: {"name": name, "in": "header", "required": required, "description": about, "schema": schema}
    for name, about, required, schema in _HEADERS
}
_RESPONSES: Json = {
    "2XX": {"description": "Received. Any other answer, and none in time, is a failed attempt, which is repeated."}
}


def with_webhooks(document: Json) -> Json:
    """Return the document with one webhook for each event, and its body among the schemas."""
    components = document["components"]
    schemas = {schema_name(event): _schema(event) for event in EVENTS.values()}
    return {
        **document,
        "webhooks": {event.name: {"post": _operation(event)} for event in EVENTS.values()},
        "components": {
            **components,
            "schemas": components["schemas"] | schemas,
            "parameters": components.get("parameters", {}) | _PARAMETERS,
        },
    }


def schema_name(event: EventType) -> str:
    """Return the name of the schema of an event's body: `ExperimentStartedEvent`."""
    return "".join(word.capitalize() for word in event.name.replace(".", "_").split("_")) + "Event"


def _schema(event: EventType) -> Json:
    schema = {key: value for key, value in event.schema.items() if key != "$schema"}
    properties = {name: _typed(part) for name, part in schema["properties"].items()}
    body = {"event": event.name, "delivery_id": _DELIVERY, "timestamp": "2026-11-21T20:15:00.000Z", **event.example}
    return schema | {
        "title": schema_name(event),
        "description": event.description,
        "properties": properties,
        "examples": [body],
    }


_DELIVERY = "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d60"


def _typed(part: Json) -> Json:
    """Return a property with its type, which generators of clients need next to a constant."""
    # A copy, because descriptions are put into it and the catalogue shares its parts.
    if "type" in part:
        return dict(part)
    return {"type": "boolean" if part.get("const") is True else "string", **part}


def _operation(event: EventType) -> Json:
    name = schema_name(event)
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{name}"}}}
    return {
        "operationId": "on" + name.removesuffix("Event"),
        "summary": f"Receive {event.name}",
        "description": f"{event.description} docs/webhooks.md shows how to verify the signature.",
        "tags": ["Webhooks"],
        "security": [],
        "parameters": [{"$ref": f"#/components/parameters/{header}"} for header, *_ in _HEADERS],
        "requestBody": {"required": True, "description": "The event.", "content": content},
        "responses": _RESPONSES,
    }
