"""Shared parts of the edge's description: server, error, base models, and how an operation is put together."""

from collections.abc import Iterable
from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic.json_schema import models_json_schema

from abtest.contract.base import Output

Json = dict[str, Any]

SERVERS: list[Json] = [
    {
        "url": "{worker_base_url}",
        "description": "The edge runtime",
        "variables": {"worker_base_url": {"default": "https://edge.example.com"}},
    }
]
TAG = "Edge"
REFERENCE = "#/components/schemas/{model}"
RETRY_AFTER: Json = {"Retry-After": {"$ref": "#/components/headers/Retry-After"}}
NOT_ALLOWED: Json = {
    "Allow": {"description": "The methods that are allowed", "required": True, "schema": {"type": "string"}}
}


class Open(BaseModel):
    """Base of bodies whose other properties are ignored."""

    model_config = ConfigDict(extra="ignore")


class WorkerError(Output):
    """The flat error of the edge."""

    error: str
    message: str


def schemas(models: Iterable[type[BaseModel]]) -> Json:
    """Return the schemas of the models, and of the models inside them, by name."""
    _, document = models_json_schema([(model, "validation") for model in models], ref_template=REFERENCE)
    schemas: Json = document["$defs"]
    return schemas


def reference(model: type[BaseModel]) -> Json:
    return {"$ref": REFERENCE.format(model=model.__name__)}


ERROR = reference(WorkerError)


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
