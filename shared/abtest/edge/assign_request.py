"""Fields of a request for assignments, as a table with limits; each refusal names its field.

A field that is null counts as absent. A GET takes only fields that may be in an address, so that customer ids stay out
of access logs.
"""

from collections.abc import Callable, Mapping
from typing import Any

from abtest.domain.delivery.environments import is_environment
from abtest.domain.delivery.manifest import ACTIVE
from abtest.domain.ledger.events import MAX_ID_CHARS, MAX_URL_CHARS, is_storable
from abtest.domain.targeting.urls import parse_address
from abtest.kit import canonical_json
from abtest.kit.errors import InvalidRequestError, NotFoundError, ServiceError
from abtest.kit.ids import is_uuid
from abtest.kit.visible_text import has_unsafe, has_visible
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
"""From a field's name and its value, which is not null, to the value to use. Raises InvalidRequestError."""


class CustomerIdRequiresPostError(ServiceError):
    """Request with a customer id in the address."""

    status = 400
    code = "customer_id_requires_post"

    def __init__(self) -> None:
        super().__init__("send a customer id in the JSON body of a POST, never in the address")


class InvalidJsonBodyError(ServiceError):
    """Body that is not a JSON object."""

    status = 400
    code = "invalid_json"


def read_query(query: Mapping[str, str]) -> AssignmentRequest:
    """Read the request of a GET.

    Raises CustomerIdRequiresPostError, InvalidRequestError, NotFoundError for a name that cannot be an environment.
    """
    refuse_customer_ids(query)
    return request_of(query, QUERY_FIELDS)


def read_body(body: bytes) -> AssignmentRequest:
    """Read the request of a POST.

    Raises InvalidJsonBodyError, InvalidRequestError, NotFoundError for a name that cannot be an environment.
    """
    try:
        document = canonical_json.loads_request(body)
    except canonical_json.InvalidJsonError as error:
        raise InvalidJsonBodyError("the body must be valid JSON") from error
    if not isinstance(document, dict):
        raise InvalidJsonBodyError("the body must be a JSON object")
    return request_of(document, BODY_FIELDS)


def refuse_parameters(query: Mapping[str, str]) -> None:
    """Refuse query parameters of a POST. Raises CustomerIdRequiresPostError, InvalidRequestError."""
    refuse_customer_ids(query)
    for name in query:
        raise invalid(name, "must be sent in the body of a POST")


def refuse_customer_ids(query: Mapping[str, str]) -> None:
    """Raise CustomerIdRequiresPostError for a customer id in the address, in any spelling of its name."""
    if any(name.lower().replace("_", "").replace("-", "") in _CUSTOMER for name in query):
        raise CustomerIdRequiresPostError


def request_of(given: Fields, known: Mapping[str, Reader]) -> AssignmentRequest:
    """Read the fields by their readers, and check those that depend on each other."""
    unknown = next((name for name in given if name not in known), None)
    if unknown is not None:
        raise invalid(unknown, "is not a field of this request")
    fields = {name: known[name](name, value) for name, value in given.items() if value is not None}
    customer_id = aliased(fields, "logged_in_customer_id", "customer_id")
    environment = aliased(fields, "env", "environment") or ACTIVE
    if environment != ACTIVE and not is_environment(environment):
        raise NotFoundError("there is no such environment")
    if customer_id is None and "user_id" not in fields:
        raise invalid("user_id", "is required, unless a POST has a customer id")
    if fields.get("request_handoff") and "cart_id" not in fields:
        raise invalid("cart_id", "is required with request_handoff")
    country = {"country": fields.pop("country")} if "country" in fields else {}
    return AssignmentRequest(
        environment=environment,
        customer_id=customer_id,
        shop_id=fields.pop("shopId", None),
        attributes=country | fields.pop("attributes", {}),
        **fields,
    )


def aliased(fields: dict[str, Any], name: str, alias: str) -> str | None:
    """Remove and return a field that has two names. Raises InvalidRequestError when their values differ."""
    values = [fields.pop(each) for each in (name, alias) if each in fields]
    if len(set(values)) > 1:
        raise invalid(alias, f"must be equal to {name}")
    return values[0] if values else None


def invalid(name: str, why: str) -> InvalidRequestError:
    """Return the error for a field; its name is cut and escaped, because the caller may have made it up."""
    shown = name[:MAX_NAME_CHARS].encode("ascii", "backslashreplace").decode()
    return InvalidRequestError(f"{shown}: {why}")


def text_of(most: int) -> Reader:
    """Return the reader of a text of 1 to `most` characters."""

    def read(name: str, value: Any) -> str:
        if not isinstance(value, str) or not 0 < len(value) <= most:
            raise invalid(name, f"must be a text of 1 to {most} characters")
        return value

    return read


def id_of(name: str, value: Any) -> str:
    """Read an id by the rule of events, so that each visitor with an assignment is also counted."""
    text: str = text_of(MAX_ID_CHARS)(name, value)
    if not is_storable(text):
        raise invalid(name, "must not have NUL, lone surrogates, U+FFFE or U+FFFF")
    return text


def surface_of(name: str, value: Any) -> str:
    """Read the name of a surface: a text that can be read in a list."""
    text: str = text_of(MAX_NAME_CHARS)(name, value)
    if has_unsafe(text) or not has_visible(text):
        raise invalid(name, "must have a visible character, and no line breaks or control characters")
    return text


def url_of(name: str, value: Any) -> str:
    """Read an absolute web address."""
    text: str = text_of(MAX_URL_CHARS)(name, value)
    if not text.lower().startswith(("http://", "https://")) or parse_address(text) is None:
        raise invalid(name, "must be an absolute web address, such as https://shop.example/cart")
    return text


def country_of(name: str, value: Any) -> str:
    """Read a country code; capitals are returned."""
    if not isinstance(value, str) or len(value) != 2 or not (value.isascii() and value.isalpha()):
        raise invalid(name, "must be a country code of two letters, such as DE")
    return value.upper()


def flag_of(name: str, value: Any) -> bool:
    """Read a boolean."""
    if not isinstance(value, bool):
        raise invalid(name, "must be true or false")
    return value


def attributes_of(name: str, value: Any) -> dict[str, Any]:
    """Read attributes of the visitor, within the limits of depth and size."""
    attributes = object_of(name, value)
    if canonical_json.is_deeper(attributes, MAX_ATTRIBUTES_DEPTH):
        raise invalid(name, f"must be nested at most {MAX_ATTRIBUTES_DEPTH} levels deep")
    if len(canonical_json.encode(attributes)) > MAX_ATTRIBUTES_BYTES:
        raise invalid(name, f"must have at most {MAX_ATTRIBUTES_BYTES} bytes as JSON")
    return attributes


def experiment_ids_of(name: str, value: Any) -> list[str]:
    """Read the ids of experiments to decide about."""
    if not isinstance(value, list) or len(value) > MAX_EXPERIMENT_IDS:
        raise invalid(name, f"must be a list of at most {MAX_EXPERIMENT_IDS} experiment ids")
    return [uuid_of(f"{name}[{index}]", each) for index, each in enumerate(value)]


def force_of(name: str, value: Any) -> dict[str, str]:
    """Read forced variations by experiment id: the id of a variation, or its index as a decimal."""
    forced: dict[str, str] = {}
    for experiment_id, variation in object_of(name, value, MAX_FORCED).items():
        key = uuid_of(name, experiment_id)
        if isinstance(variation, int) and not isinstance(variation, bool) and 0 <= variation <= MAX_INDEX:
            forced[key] = str(variation)
        elif isinstance(variation, str) and 0 < len(variation) <= MAX_NAME_CHARS:
            forced[key] = variation.lower()
        else:
            raise invalid(name, "must have a variation's id or index for each experiment")
    return forced


def sticky_of(name: str, value: Any) -> str | dict[str, str]:
    """Read the text of an earlier answer, of any content, or remembered variations by seed."""
    if isinstance(value, str):
        return value  # one that cannot be read is ignored later: a cut cookie must not cost the answer
    if not isinstance(value, dict):
        raise invalid(name, "must be a text or an object")
    text = text_of(MAX_NAME_CHARS)
    return {text(name, seed): text(name, each) for seed, each in object_of(name, value, MAX_STICKY).items()}


def uuid_of(name: str, value: Any) -> str:
    """Read a UUID in lower case."""
    if not isinstance(value, str) or not is_uuid(value):
        raise invalid(name, "must be a UUID")
    return value.lower()


def object_of(name: str, value: Any, most: int | None = None) -> dict[str, Any]:
    """Read an object, of at most so many entries."""
    if not isinstance(value, dict):
        raise invalid(name, "must be an object")
    if most is not None and len(value) > most:
        raise invalid(name, f"must have at most {most} entries")
    return value


_CUSTOMER = frozenset({"customerid", "loggedincustomerid"})

QUERY_FIELDS: Mapping[str, Reader] = {
    "shopId": text_of(MAX_NAME_CHARS),
    "user_id": id_of,
    "url": url_of,
    "country": country_of,
    "env": text_of(MAX_NAME_CHARS),
    "environment": text_of(MAX_NAME_CHARS),
    "sticky": sticky_of,
}
BODY_FIELDS: Mapping[str, Reader] = {
    **QUERY_FIELDS,
    "logged_in_customer_id": id_of,
    "customer_id": id_of,
    "attributes": attributes_of,
    "experiment_ids": experiment_ids_of,
    "force": force_of,
    "surface": surface_of,
    "cart_id": id_of,
    "request_handoff": flag_of,
    "explain": flag_of,
    "values": flag_of,
}
