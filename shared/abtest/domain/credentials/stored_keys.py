"""Stored form of API keys. Records are stored under their shop, those of user keys under `USERS`."""

from collections.abc import Mapping

from abtest.domain.credentials.api_keys import ApiKey
from abtest.kit.documents import Document, decode, encode

USERS = "users"
"""Pseudo shop of user keys, which belong to no shop."""


def claim_name(lookup_id: str) -> str:
    """Return the service-wide unique name that leads from the id in a key's text to its record."""
    return f"KEY#{lookup_id}"


def claim_attributes(key: ApiKey) -> dict[str, str | None]:
    """Return the attributes of the claim: all that the edge needs, which may not read the record."""
    return {
        "shop_id": key.shop_id,
        "key_id": key.id,
        "kind": key.kind,
        "sha256": key.sha256,
        "expires_at": key.expires_at,
        "revoked_at": key.revoked_at,
    }


def to_document(key: ApiKey) -> Document:
    """Return every field as JSON; the version is in the record's head."""
    return encode(key, omit=("version",))


def from_document(document: Mapping[str, object], version: int) -> ApiKey:
    """Return the stored key; fields of a later release are ignored."""
    return decode(ApiKey, document, version=version)
