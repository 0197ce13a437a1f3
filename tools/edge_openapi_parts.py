"""What the descriptions of edge routes share: their server, their error, how an operation is put together."""

from typing import Any

Json = dict[str, Any]

SERVERS: list[Json] = [
    {
        "url": "{worker_base_url}",
        "description": "The edge runtime",
        "variables": {"worker_base_url": {"default": "https://edge.example.com"}},
    }
]
TAG = "Edge"
ERROR: Json = {"$ref": "#/components/schemas/WorkerError"}
RETRY_AFTER: Json = {"Retry-After": {"$ref": "#/components/headers/Retry-After"}}
NOT_ALLOWED: Json = {"Allow": {"schema": {"type": "string"}}}


def answer(description: str, schema: Json, headers: Json | None = None) -> Json:
    content = {"application/json": {"schema": schema}}
    return {"description": description, "content": content, **({"headers": headers} if headers else {})}


def script(description: str, headers: Json | None = None) -> Json:
    content = {"application/javascript": {"schema": {"type": "string"}}}
    return {"description": description, "content": content, **({"headers": headers} if headers else {})}


def operation(operation_id: str, summary: str, responses: Json, **more: Any) -> Json:
    return {
        "operationId": operation_id,
        "summary": summary,
        "tags": [TAG],
        "security": [],
        "responses": responses,
    } | more


def parameter(name: str, place: str, description: str, schema: Json, *, required: bool = False) -> Json:
    return {"name": name, "in": place, "description": description, "required": required, "schema": schema}
