"""Request for a handover: the signing shop, and fields of a fixed form; others are refused."""

import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from abtest.domain.credentials.handover import LONGEST_TOKEN
from abtest.domain.credentials.signing import RootKeys, is_browser_signature
from abtest.edge.ingest_auth import IngestUnauthorizedError
from abtest.kit import canonical_json
from abtest.kit.errors import ServiceError
from abtest.kit.ids import is_uuid

MAX_BODY_BYTES = 4096
# Host names as in RFC 1123: labels of at most 63 characters, 253 in all.
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*", re.ASCII | re.IGNORECASE)
_ID = re.compile(r"[A-Za-z0-9_-]{16,64}", re.ASCII)
_TEXT = re.compile(r"[!-~]+", re.ASCII)
_A_HOST = "be a host name without a port, such as pay.example"
_AN_ID = "have 16 to 64 letters A to Z, digits, hyphens and underscores"
REQUEST_ID = "requestId"
"""Optional: the same in each repetition of a request by the page that sent it."""
_FORMS: Mapping[str, tuple[re.Pattern[str], int, str]] = {
    "visitorId": (_ID, 64, _AN_ID),
    "destination": (_HOST, 253, _A_HOST),
    "token": (_TEXT, LONGEST_TOKEN, "be the token of a handover"),
    "host": (_HOST, 253, _A_HOST),
    REQUEST_ID: (_ID, 64, _AN_ID),
}
"""Form of each field, its length, and the rule in words."""
MINT_FIELDS = ("visitorId", "destination")
VERIFY_FIELDS = ("token", "host")


class InvalidHandoverRequestError(ServiceError):
    """Request that cannot be read, or a token of another shop or host."""

    status = 400
    code = "handover_invalid"


def read_document(body: bytes) -> Mapping[str, Any]:
    """Return the object in the body. Raises InvalidHandoverRequestError."""
    try:
        document = canonical_json.loads(body)
    except canonical_json.InvalidJsonError as error:
        raise InvalidHandoverRequestError("the body must be valid JSON") from error
    if not isinstance(document, dict):
        raise InvalidHandoverRequestError("the body must be a JSON object")
    return document


def signing_shop(document: Mapping[str, Any], roots: Callable[[], RootKeys]) -> str:
    """Return the shop whose snippet signed the body. Raises IngestUnauthorizedError."""
    shop_id, signature = document.get("_shopId"), document.get("_signature")
    if not isinstance(shop_id, str) or not isinstance(signature, str) or not is_uuid(shop_id):
        raise IngestUnauthorizedError
    if not is_browser_signature(roots(), shop_id.lower(), signature):
        raise IngestUnauthorizedError
    return shop_id.lower()


def read_fields(
    document: Mapping[str, Any], names: tuple[str, ...], optional: tuple[str, ...] = ()
) -> Mapping[str, str]:
    """Return the fields of these names. Raises InvalidHandoverRequestError that names the first wrong one."""
    known = (*names, *optional)
    if not document.keys() <= {*known, "_shopId", "_signature"}:
        raise InvalidHandoverRequestError(f"the body must have only the fields _shopId, _signature, {', '.join(known)}")
    fields: dict[str, str] = {}
    for name in (*names, *(name for name in optional if name in document)):
        value, (form, most, words) = document.get(name), _FORMS[name]
        if not isinstance(value, str) or len(value) > most or form.fullmatch(value) is None:
            raise InvalidHandoverRequestError(f"{name}: must {words}")
        fields[name] = value.lower() if form is _HOST else value
    return fields


def refuse_other_origin(origin: str | None, host: str) -> None:
    """Raise InvalidHandoverRequestError for a page of another host; servers send no origin."""
    try:
        page_host = urlsplit(origin).hostname if origin else host
    # urlsplit raises for an invalid IPv6 address in brackets.
    except ValueError:
        page_host = None
    if page_host != host:
        raise InvalidHandoverRequestError("host: must be the host of the page that sends the request")
