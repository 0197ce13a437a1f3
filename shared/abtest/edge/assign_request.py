"""What a request for assignments may say: fields as a table, limits beside them, each refusal naming its field.

A field that is null is as good as left out. By GET only what may stand in an address is taken: customer ids stay out of
access logs.
"""

from collections.abc import Callable, Mapping
from typing import Any

from abtest.domain.delivery.environments import is_environment
from abtest.domain.delivery.manifest import ACTIVE
from abtest.domain.ledger.events import MAX_ID_CHARS, MAX_URL_CHARS
from abtest.domain.targeting.urls import parse_address
from abtest.kit import canonical_json
from abtest.kit.errors import InvalidRequestError, NotFoundError, ServiceError
from abtest.kit.ids import is_uuid
from abtest.services.assignment_request import AssignmentRequest

MAX_BODY_BYTES = 256 * 1024
MAX_ATTRIBUTES_BYTES = 32 * 1024
MAX_ATTRIBUTES_DEPTH = 20
MAX_EXPERIMENT_IDS = 100
MAX_FORCED = 100
MAX_STICKY = 500
MAX_NAME_CHARS = 64
MAX_INDEX = 1000

Fields = Mapping[str, Any]
Reader = Callable[[str, Any], Any]
"""From a field's name and its value, which is not null, to what it means. Raises InvalidRequestError."""


class CustomerIdRequiresPostError(ServiceError):
    """A customer id stands in the address."""

    status = 400
    code = "customer_id_requires_post"

    def __init__(self) -> None:
        super().__init__("send a customer id in the JSON body of a POST, never in the address")


class InvalidJsonBodyError(ServiceError):
    """The body is not JSON, or no object."""

    status = 400
    code = "invalid_json"


def read_query(query: Mapping[str, str]) -> AssignmentRequest:
    """The request that a GET makes.

    Raises CustomerIdRequiresPostError, InvalidRequestError, NotFoundError for what can be no environment.
    """
    _refuse_customer_ids(query)
    return _request(_read(query, QUERY_FIELDS))


def read_body(body: bytes) -> AssignmentRequest:
    """The request that a POST makes.

    Raises InvalidJsonBodyError, InvalidRequestError, NotFoundError for what can be no environment.
    """
    try:
        document = canonical_json.loads(body)
    except canonical_json.InvalidJsonError as error:
        raise InvalidJsonBodyError("the body is no JSON that can be read") from error
    if not isinstance(document, dict):
        raise InvalidJsonBodyError("the body is a JSON object")
    return _request(_read(document, BODY_FIELDS))


def refuse_parameters(query: Mapping[str, str]) -> None:
    """What a POST says stands in its body. Raises CustomerIdRequiresPostError, InvalidRequestError."""
    _refuse_customer_ids(query)
    for name in query:
        raise _wrong(name, "goes into the body of a POST")


def _refuse_customer_ids(query: Mapping[str, str]) -> None:
    if any(name.lower().replace("_", "").replace("-", "") in _CUSTOMER for name in query):
        raise CustomerIdRequiresPostError


def _read(given: Fields, known: Mapping[str, Reader]) -> dict[str, Any]:
    unknown = next((name for name in given if name not in known), None)
    if unknown is not None:
        raise _wrong(unknown, "there is no such field")
    return {name: known[name](name, value) for name, value in given.items() if value is not None}


def _request(fields: dict[str, Any]) -> AssignmentRequest:
    customer_id = _agreed(fields, "logged_in_customer_id", "customer_id")
    environment = _agreed(fields, "env", "environment") or ACTIVE
    if environment != ACTIVE and not is_environment(environment):
        raise NotFoundError("there is no such environment")
    if customer_id is None and "user_id" not in fields:
        raise _wrong("user_id", "say user_id, or a customer id by POST")
    if fields.get("request_handoff") and "cart_id" not in fields:
        raise _wrong("cart_id", "needed with request_handoff")
    country = {"country": fields.pop("country")} if "country" in fields else {}
    return AssignmentRequest(
        environment=environment,
        customer_id=customer_id,
        shop_id=fields.pop("shopId", None),
        attributes=country | fields.pop("attributes", {}),
        **fields,
    )


def _agreed(fields: dict[str, Any], name: str, alias: str) -> str | None:
    """The value of a field that has two names. Raises InvalidRequestError when they disagree."""
    said = [fields.pop(each) for each in (name, alias) if each in fields]
    if len(set(said)) > 1:
        raise _wrong(alias, f"disagrees with {name}")
    return said[0] if said else None


def _wrong(name: str, why: str) -> InvalidRequestError:
    shown = name[:MAX_NAME_CHARS].encode("ascii", "backslashreplace").decode()
    return InvalidRequestError(f"{shown}: {why}")


def _text(most: int) -> Reader:
    def read(name: str, value: Any) -> str:
        if not isinstance(value, str) or not 0 < len(value) <= most:
            raise _wrong(name, f"a text of 1 to {most} characters is expected")
        return value

    return read


def _url(name: str, value: Any) -> str:
    text: str = _text(MAX_URL_CHARS)(name, value)
    if not text.lower().startswith(("http://", "https://")) or parse_address(text) is None:
        raise _wrong(name, "an absolute web address is expected")
    return text


def _country(name: str, value: Any) -> str:
    if not isinstance(value, str) or len(value) != 2 or not (value.isascii() and value.isalpha()):
        raise _wrong(name, "a country code of two letters is expected")
    return value.upper()


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise _wrong(name, "true or false is expected")
    return value


def _attributes(name: str, value: Any) -> dict[str, Any]:
    found = _object(name, value)
    if canonical_json.is_deeper(found, MAX_ATTRIBUTES_DEPTH):
        raise _wrong(name, f"is nested more than {MAX_ATTRIBUTES_DEPTH} levels deep")
    if len(canonical_json.encode(found)) > MAX_ATTRIBUTES_BYTES:
        raise _wrong(name, f"has more than {MAX_ATTRIBUTES_BYTES} bytes as JSON")
    return found


def _experiment_ids(name: str, value: Any) -> list[str]:
    if not isinstance(value, list) or len(value) > MAX_EXPERIMENT_IDS:
        raise _wrong(name, f"a list of at most {MAX_EXPERIMENT_IDS} experiment ids is expected")
    return [_uuid(f"{name}[{index}]", each) for index, each in enumerate(value)]


def _force(name: str, value: Any) -> dict[str, str]:
    found = _object(name, value, MAX_FORCED)
    return {_uuid(name, experiment_id): _variation(name, each) for experiment_id, each in found.items()}


def _sticky(name: str, value: Any) -> dict[str, str]:
    text = _text(MAX_NAME_CHARS)
    return {text(name, seed): text(name, each) for seed, each in _object(name, value, MAX_STICKY).items()}


def _variation(name: str, value: Any) -> str:
    """A variation's id, or its index as a decimal."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_INDEX:
        return str(value)
    if isinstance(value, str) and 0 < len(value) <= MAX_NAME_CHARS:
        return value.lower()
    raise _wrong(name, "a variation's id or its index is expected for each experiment")


def _uuid(name: str, value: Any) -> str:
    if not isinstance(value, str) or not is_uuid(value):
        raise _wrong(name, "a UUID is expected")
    return value.lower()


def _object(name: str, value: Any, most: int | None = None) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(name, "an object is expected")
    if most is not None and len(value) > most:
        raise _wrong(name, f"has more than {most} entries")
    return value


_CUSTOMER = frozenset({"customerid", "loggedincustomerid"})

QUERY_FIELDS: Mapping[str, Reader] = {
    "shopId": _text(MAX_NAME_CHARS),
    "user_id": _text(MAX_ID_CHARS),
    "url": _url,
    "country": _country,
    "env": _text(MAX_NAME_CHARS),
    "environment": _text(MAX_NAME_CHARS),
}
BODY_FIELDS: Mapping[str, Reader] = {
    **QUERY_FIELDS,
    "logged_in_customer_id": _text(MAX_ID_CHARS),
    "customer_id": _text(MAX_ID_CHARS),
    "attributes": _attributes,
    "experiment_ids": _experiment_ids,
    "force": _force,
    "sticky": _sticky,
    "surface": _text(MAX_NAME_CHARS),
    "cart_id": _text(MAX_ID_CHARS),
    "request_handoff": _flag,
}
