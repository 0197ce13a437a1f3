"""Summaries of operations from their ids, and descriptions of responses from their schemas."""

import re
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from typing import Any

from abtest.http.openapi_parts import REASONS

Json = dict[str, Any]

SUMMARIES: Mapping[str, str] = {
    "clearSchedule": "Clear schedule of experiment",
    "deleteVariationAlone": "Delete variation by its own id",
    "evaluateFlags": "Evaluate flags for a visitor",
    "getChecklist": "Get launch checklist of experiment",
    "getMe": "Get the calling key",
    "getOpenApi": "Get this document",
    "getOwnShop": "Get the shop of the key",
    "getReference": "Get the API reference",
    "getResults": "Get results of experiment",
    "getVariationAlone": "Get variation by its own id",
    "listApprovals": "List approval history of experiment",
    "markReady": "Mark experiment ready to launch",
    "matchPages": "Test an address against page rules",
    "ping": "Check the key",
    "publish": "Publish the configuration",
    "retryPublication": "Publish again after a failed publication",
    "returnToDraft": "Return experiment to draft",
    "setPlan": "Set plan of experiment",
    "setSchedule": "Set schedule of experiment",
    "setWeights": "Set weights of variations",
    "startQa": "Start QA of experiment",
    "startExperiment": "Start experiment (same as launch)",
    "updateVariationAlone": "Update variation by its own id",
}
"""Summaries where the words of the operation id do not suffice."""

_SPELLINGS = {"api": "API", "qa": "QA"}
_EMPTY = {204: "Done; the answer has no body."}
_METHODS = ("get", "put", "post", "delete", "patch")


def operations(document: Json) -> Iterator[Json]:
    """Yield every operation of the document."""
    return (item[method] for item in document["paths"].values() for method in _METHODS if method in item)


def describe_operations(document: Json) -> None:
    """Give every operation a summary, and every response a description of its content."""
    for operation in operations(document):
        name = operation["operationId"]
        if "servers" not in operation and "Edge" not in operation.get("tags", ()):
            operation["summary"] = SUMMARIES.get(name) or _in_words(name)
        for status, response in operation["responses"].items():
            if "$ref" not in response:
                response["description"] = _described(document, int(status), response)
    for name, schema in document["components"]["schemas"].items():
        if name.endswith("List") and not schema.get("description"):
            schema["description"] = "One page of a list."


def _in_words(operation_id: str) -> str:
    words = re.findall("[A-Z]?[a-z]+", operation_id)
    text = " ".join(_SPELLINGS.get(word.lower(), word.lower()) for word in words)
    return text[0].upper() + text[1:]


def _described(document: Json, status: int, response: Json) -> str:
    text: str = response.get("description", "")
    if text.startswith("`"):
        return f"{REASONS.get(status) or HTTPStatus(status).phrase}: {text}"
    if text != "Successful Response":
        return text
    schemas = [media.get("schema", {}) for media in response.get("content", {}).values()]
    about = [_about(document, schema) for schema in schemas]
    return next(filter(None, about), _EMPTY.get(status, "Done."))


def _about(document: Json, schema: Json) -> str:
    """Return the first sentence about a schema."""
    if "items" in schema:
        return _about(document, schema["items"])
    name = schema.get("$ref", "").rpartition("/")[2]
    described: Json = document["components"]["schemas"].get(name, schema)
    item = document["components"]["schemas"].get(name.removesuffix("List"), {}) if name.endswith("List") else {}
    if item:
        return f"One page of a list. Each item: {_first_sentence(item)}"
    return _first_sentence(described)


def _first_sentence(schema: Json) -> str:
    return re.split(r"(?<=\.)\s", " ".join(schema.get("description", "").split()), maxsplit=1)[0]
