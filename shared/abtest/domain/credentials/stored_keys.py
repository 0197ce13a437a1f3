"""An API key as a catalog document and back. Records lie under their shop, user keys under `USERS`."""

from collections.abc import Mapping
from dataclasses import asdict, fields
from typing import Any

from abtest.domain.credentials.api_keys import ApiKey

USERS = "users"
"""The pseudo shop that holds user keys, which belong to no shop."""

_FIELDS = frozenset(field.name for field in fields(ApiKey))


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


def to_document(key: ApiKey) -> dict[str, Any]:
    """Every field as JSON; the version lives in the record's head."""
    document = asdict(key)
    document["scopes"] = list(key.scopes)
    del document["version"]
    return document


def from_document(document: Mapping[str, Any], version: int) -> ApiKey:
    """The key that was stored; fields of a later release are ignored."""
    known = {name: value for name, value in document.items() if name in _FIELDS}
    return ApiKey(**{**known, "scopes": tuple(known["scopes"]), "version": version})
