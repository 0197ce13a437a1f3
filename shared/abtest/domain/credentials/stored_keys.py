"""An API key as a catalog document and back. Records lie under their shop, user keys under `USERS`."""

from collections.abc import Mapping

from abtest.domain.credentials.api_keys import ApiKey
from abtest.kit.documents import Document, decode, encode

USERS = "users"
"""The pseudo shop that holds user keys, which belong to no shop."""


def claim_name(lookup_id: str) -> str:
    """The service-wide unique name that leads from the id inside a key's text to its record."""
    return f"KEY#{lookup_id}"


def claim_attributes(key: ApiKey) -> dict[str, str | None]:
    """What stands in the claim beside the name: all that a reader needs who may read nothing else (the edge)."""
    return {
        "shop_id": key.shop_id,
        "key_id": key.id,
        "kind": key.kind,
        "sha256": key.sha256,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
    }


def to_document(key: ApiKey) -> Document:
    """Every field as JSON; the version lives in the record's head."""
    return encode(key, omit=("version",))


def from_document(document: Mapping[str, object], version: int) -> ApiKey:
    """The key that was stored; fields of a later release are ignored."""
    return decode(ApiKey, document, version=version)
