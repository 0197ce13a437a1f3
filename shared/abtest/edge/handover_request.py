"""What a request for a handover may say: who signs, and fields that each have a form; no others are taken."""

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
_LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*", re.ASCII | re.IGNORECASE)
_VISITOR = re.compile(r"[A-Za-z0-9_-]{16,64}", re.ASCII)
_TEXT = re.compile(r"[!-~]+", re.ASCII)
_FORMS: Mapping[str, tuple[re.Pattern[str], int]] = {
    "visitorId": (_VISITOR, 64),
    "destination": (_HOST, 253),
    "token": (_TEXT, LONGEST_TOKEN),
    "host": (_HOST, 253),
}
MINT_FIELDS = ("visitorId", "destination")
VERIFY_FIELDS = ("token", "host")


class InvalidHandoverRequestError(ServiceError):
    """The request is none that can be read, or the token none of ours for this shop and host."""

    status = 400
    code = "handover_invalid"


def read_document(body: bytes) -> Mapping[str, Any]:
    """The object that was sent. Raises InvalidHandoverRequestError."""
    try:
        document = canonical_json.loads(body)
    except canonical_json.InvalidJsonError as error:
        raise InvalidHandoverRequestError("the body is no JSON that can be read") from error
    if not isinstance(document, dict):
        raise InvalidHandoverRequestError("the body is a JSON object")
    return document


def signing_shop(document: Mapping[str, Any], roots: Callable[[], RootKeys]) -> str:
    """The shop whose snippet's signature stands in the body. Raises IngestUnauthorizedError."""
    shop_id, signature = document.get("_shopId"), document.get("_signature")
    if not isinstance(shop_id, str) or not isinstance(signature, str) or not is_uuid(shop_id):
        raise IngestUnauthorizedError
    if not is_browser_signature(roots(), shop_id.lower(), signature):
        raise IngestUnauthorizedError
    return shop_id.lower()


def read_fields(document: Mapping[str, Any], names: tuple[str, ...]) -> Mapping[str, str]:
    """The fields of these names. Raises InvalidHandoverRequestError naming the first that is wrong."""
    if not document.keys() <= {*names, "_shopId", "_signature"}:
        raise InvalidHandoverRequestError(f"the body has the fields _shopId, _signature, {', '.join(names)}")
    return {name: _read(name, document.get(name)) for name in names}


def _read(name: str, value: Any) -> str:
    form, most = _FORMS[name]
    if not isinstance(value, str) or len(value) > most or form.fullmatch(value) is None:
        raise InvalidHandoverRequestError(f"{name}: is missing or has another form")
    return value.lower() if form is _HOST else value


def refuse_other_origin(origin: str | None, host: str) -> None:
    """A page speaks for its own host only. Raises InvalidHandoverRequestError; servers say no origin."""
    try:
        said = urlsplit(origin).hostname if origin else host
    except ValueError:
        said = None
    if said != host:
        raise InvalidHandoverRequestError("host: is not that of the page that asks")
