"""The OpenAPI 3.1 document: what FastAPI knows of the routes, and what the plumbing adds to every one of them."""

from collections.abc import Iterator, Sequence
from typing import Any

from fastapi.openapi.utils import get_openapi
from pydantic import BaseModel

from abtest.contract.errors import ErrorEnvelope
from abtest.contract.meta import ForbiddenEnvelope
from abtest.http.gate import CONTRACT_VERSION, TITLE
from abtest.http.idempotency import METHODS as IDEMPOTENT_METHODS
from abtest.http.openapi_parts import COMPONENTS, DESCRIPTION, PARAMETERS, PREAMBLE, REASONS, SHARED, header
from abtest.http.paging import NOT_FILTERS
from abtest.http.route import BASE, Operation, Route, Router, flattened
from abtest.kit.errors import ServiceError

Json = dict[str, Any]
SCHEME = "apiKey"
_CODES = "x-codes"
_READING = {"GET", "HEAD"}


def errors(*refusals: type[ServiceError], **bodies: type[BaseModel]) -> dict[int | str, Json]:
    """The error answers of a route, for its `responses`.

    `bodies` gives a status a body model of its own: `errors(PublishFailedError, s502=PublishFailedEnvelope)`.
    """
    own = {int(name.removeprefix("s")): model for name, model in bodies.items()}
    codes: dict[int, set[str]] = {status: set() for status in own}
    for refusal in refusals:
        codes.setdefault(refusal.status, set()).add(refusal.code)
    return {
        status: {"model": own.get(status) or _envelope(status), "description": "", _CODES: sorted(names)}
        for status, names in sorted(codes.items())
    }


def build(routers: Sequence[Router]) -> Json:
    """The document of these routers, paths relative to the server `/api/v1`."""
    every = [route.operation for router in routers for route in router.routes if isinstance(route, Route)]
    routes = [route for route in every if route.include_in_schema]
    document = get_openapi(
        title=TITLE,
        version=CONTRACT_VERSION,
        description=DESCRIPTION,
        routes=routes,
        separate_input_output_schemas=False,
    )
    for route in routes:
        for method in sorted(route.methods or ()):
            _complete(document["paths"][route.path_format][method.lower()], route, method)
    paths = {path.removeprefix(BASE): item for path, item in document["paths"].items()}
    complete = {**document, **PREAMBLE, "paths": paths, "components": _components(document)}
    _share_answers(complete)
    return complete


def is_versioned(route: Operation, method: str) -> bool:
    """Return whether the response has an ETag: it is one resource, or its endpoint is marked as versioned."""
    model = route.response_model
    is_resource = isinstance(model, type) and issubclass(model, BaseModel) and "id" in model.model_fields
    return method != "DELETE" and (is_resource or bool(getattr(route.endpoint, "versioned", False)))


def _envelope(status: int) -> type[ErrorEnvelope]:
    return ForbiddenEnvelope if status == 403 else ErrorEnvelope


def _components(document: Json) -> Json:
    components = document.get("components", {})
    schemas = {name: schema for name, schema in components.get("schemas", {}).items() if "ValidationError" not in name}
    for model in (ErrorEnvelope, ForbiddenEnvelope):
        schema = model.model_json_schema(ref_template="#/components/schemas/{model}")
        schemas |= {**schema.pop("$defs", {}), model.__name__: schema}
    return {**COMPONENTS, "schemas": dict(sorted(schemas.items()))}


def _share_answers(document: Json) -> None:
    """Answers that are the same for many routes are described once, under `components`."""
    shared: Json = {}
    for item in document["paths"].values():
        for operation in item.values():
            for status, answer in operation["responses"].items():
                if int(status) in SHARED:
                    name = f"{SHARED[int(status)]}{'' if _rated(answer) else 'Open'}"
                    shared[name] = answer
                    operation["responses"][status] = {"$ref": f"#/components/responses/{name}"}
    document["components"]["responses"] = dict(sorted(shared.items()))


def _rated(answer: Json) -> bool:
    return "X-RateLimit-Limit" in answer["headers"]


def _complete(operation: Json, route: Operation, method: str) -> None:
    paragraphs = [operation.get("description"), _filters(route, method), _permission(route)]
    operation["description"] = "\n\n".join(filter(None, paragraphs))
    operation["security"] = [{SCHEME: []}] if route.requirement else []
    if route.requirement and route.requirement.scope:
        operation["x-required-scope"] = route.requirement.scope
    operation["parameters"] = [*map(_never_null, operation.get("parameters", [])), *_parameters(route, method)]
    if not operation["parameters"]:
        del operation["parameters"]
    _describe_optional_body(operation.get("requestBody", {}))
    responses = {status: r for status, r in operation["responses"].items() if not _is_frameworks(r)}
    for status, codes in _plumbing_errors(route, method):
        responses.setdefault(str(status), _error_answer(status)).setdefault(_CODES, []).extend(codes)
    if method == "GET" and is_versioned(route, method):
        responses["304"] = {"description": "Not modified since the ETag in If-None-Match"}
    operation["responses"] = {
        status: _dressed(responses[status], int(status), route, method) for status in sorted(responses)
    }


def _filters(route: Operation, method: str) -> str:
    """Return which filters a list has: not all lists have all of them."""
    names = [field.alias for part in flattened(route.dependant) for field in part.query_params]
    if method != "GET" or "cursor" not in names:
        return ""
    filters = ", ".join(f"`{name}`" for name in names if name not in NOT_FILTERS)
    known = f"Filters and order: {filters}." if filters else "This list has no filters."
    return f"{known} Other parameters are 400 `unknown_property`, and the message names those of the list."


def _permission(route: Operation) -> str:
    requirement = route.requirement
    if requirement is None:
        return ""
    if requirement.user_keys == "required":
        return "Needs a user key."
    also = " User keys are accepted too." if requirement.user_keys == "accepted" else ""
    return (f"Needs the scope `{requirement.scope}`." if requirement.scope else "Any valid key is accepted.") + also


def _parameters(route: Operation, method: str) -> Iterator[Json]:
    if method in IDEMPOTENT_METHODS and route.requirement:
        yield PARAMETERS["Idempotency-Key"]
    if method == "GET" and is_versioned(route, method):
        yield PARAMETERS["If-None-Match"]


def _plumbing_errors(route: Operation, method: str) -> Iterator[tuple[int, Sequence[str]]]:
    """Statuses and codes that every route of this form may answer with."""
    yield 400, ["invalid_parameter", *([] if route.takes_any_query else ["unknown_property"])]
    if any(field.alias == "cursor" for part in flattened(route.dependant) for field in part.query_params):
        yield 400, ["invalid_cursor"]
    if "{" in route.path:
        yield 404, ["route_not_found"]
    if method not in _READING:
        yield 400, ["invalid_json", "invalid_request"]
        yield 413, ["payload_too_large"]
        yield 415, ["unsupported_media_type"]
    if any(parameter.alias == "If-Match" for parameter in route.header_parameters):
        yield 409, ["version_conflict"]
        yield 412, ["version_conflict"]
    if route.requirement is not None:
        yield from _caller_errors(route, method)
    yield 500, ["internal_error"]
    yield 503, ["database_busy", "service_unavailable"]


def _caller_errors(route: Operation, method: str) -> Iterator[tuple[int, Sequence[str]]]:
    requirement = route.requirement
    yield 401, ["invalid_api_key"]
    if requirement and requirement.scope:
        yield 403, ["insufficient_scope"]
    if requirement and requirement.user_keys == "required":
        yield 403, ["user_key_required"]
    yield 429, ["rate_limited"]
    if method in IDEMPOTENT_METHODS:
        yield 409, ["idempotency_in_progress"]
        yield 422, ["idempotency_key_reused"]


def _error_answer(status: int) -> Json:
    schema = {"$ref": f"#/components/schemas/{_envelope(status).__name__}"}
    return {"content": {"application/json": {"schema": schema}}}


def _describe_optional_body(body: Json) -> None:
    """Describe the object alone. Generated clients that know a body of null cannot omit it; the API takes both."""
    if not body.get("required"):
        body |= {"content": {kind: _never_null(media) for kind, media in body.get("content", {}).items()}}


def _never_null(part: Json) -> Json:
    """A parameter or body is there or not; FastAPI writes an optional one as one that may be null."""
    schema = dict(part.get("schema", {}))
    forms = [form for form in schema.pop("anyOf", []) if form != {"type": "null"}]
    if len(forms) == 1:
        schema |= forms[0]
    elif forms:
        schema["anyOf"] = forms
    return {**part, "schema": schema}


def _is_frameworks(response: Json) -> bool:
    """The 422 that FastAPI assumes; ours are 400 and have our envelope."""
    return "HTTPValidationError" in str(response.get("content", ""))


def _dressed(response: Json, status: int, route: Operation, method: str) -> Json:
    codes = sorted(set(response.pop(_CODES, [])))
    listed = ", ".join(f"`{code}`" for code in codes)
    described = REASONS[status] if status in REASONS else response.get("description", "")
    headers = {name: header(name) for name in _headers(status, route, method)}
    return {**response, "description": f"{described}: {listed}" if listed else described, "headers": headers}


def _headers(status: int, route: Operation, method: str) -> Iterator[str]:
    yield "X-Service-API-Version"
    yield "X-Request-Id"
    # Promised where they always stand; other refusals carry them too, once the key is known.
    if route.requirement is not None and (status < 300 or status == 429):
        yield from ("X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset")
    if status in (429, 502, 503):
        yield "Retry-After"
    # Answers that are the same on every route, and refusals of the key, are not stored, or not only for these methods.
    if method in IDEMPOTENT_METHODS and route.requirement and status not in {*SHARED, 403}:
        yield "Idempotent-Replayed"
    if status in (200, 201, 304) and is_versioned(route, method):
        yield "ETag"
