"""API keys on the wire, and the identity of a key."""

from typing import Annotated, Literal

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from abtest.contract.base import ABSENT, DateTime, Id, Input, Moment, Output, Secret
from abtest.contract.names import READABLE
from abtest.contract.shops import Shop, ShopSummary
from abtest.domain.credentials.api_keys import SCOPES, unknown_scopes
from abtest.domain.credentials.lifecycle import DEFAULT_GRACE_SECONDS, MAX_GRACE_SECONDS

KeyKind = Literal["shop", "user", "tracking_source"]
Preset = Literal["read_only", "editor", "launcher", "admin"]


def known_scope(scope: str) -> str:
    """Return the scope unchanged. Raises PydanticCustomError for an unknown one."""
    if unknown_scopes([scope]):
        raise PydanticCustomError("unknown_scope", "must be an existing scope")
    return scope


Scope = Annotated[str, AfterValidator(known_scope), WithJsonSchema({"type": "string", "enum": list(SCOPES)})]
Scopes = Annotated[
    list[Scope], Field(min_length=1, max_length=len(SCOPES)), AfterValidator(lambda scopes: sorted(set(scopes)))
]
KeyName = Annotated[str, Field(min_length=1, max_length=100), READABLE]


class CreateApiKey(Input):
    """A new key. A shop key takes `scopes` or a `preset`; a tracking-source key has no scopes."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [
                {"required": ["preset"]},
                {"required": ["scopes"]},
                {"properties": {"kind": {"const": "tracking_source"}}, "required": ["kind"]},
            ],
            "examples": [{"name": "Reporting", "preset": "read_only"}],
        }
    )

    name: KeyName
    kind: Literal["shop", "tracking_source"] = "shop"
    scopes: Scopes = ABSENT
    preset: Preset = ABSENT
    expires_at: Moment | None = None


class UpdateApiKey(Input):
    """A merge patch. Scopes can only be removed; null removes the expiry."""

    name: KeyName = ABSENT
    scopes: Scopes = ABSENT
    expires_at: Moment | None = ABSENT


class RotateApiKey(Input):
    """Time during which the old secret stays valid."""

    grace_seconds: Annotated[int, Field(ge=0, le=MAX_GRACE_SECONDS)] = DEFAULT_GRACE_SECONDS


class RevokeApiKey(Input):
    """Reason, stored in the audit."""

    reason: Annotated[str, Field(max_length=500)] | None = None


class ApiKey(Output):
    """A key without its secret. `key_prefix` and `last_four` are the parts of the secret that may be shown."""

    id: Id
    kind: KeyKind
    name: str
    key_prefix: str
    last_four: str
    scopes: list[Scope]
    created_at: DateTime
    created_by: Id
    last_used_at: DateTime | None
    expires_at: DateTime | None
    revoked_at: DateTime | None
    rotated_to: Id | None


class ApiKeyCreated(ApiKey):
    """A new key with its secret, which is shown only once."""

    secret: Secret


class KeyIdentity(Output):
    """The calling key, with its scopes including implied ones."""

    id: Id
    kind: KeyKind
    name: str
    scopes: list[Scope]
    shop_id: Id | None
    expires_at: DateTime | None


class RateLimit(Output):
    """Rate limit of the key."""

    limit: int
    window_seconds: int


class Me(Output):
    """The caller: the key, its shop (null for a user key), its rate limit."""

    key: KeyIdentity
    shop: ShopSummary | None
    rate_limit: RateLimit


class ShopCreated(Shop):
    """A new shop with its first key (preset `admin`), whose secret is shown only once."""

    api_key: ApiKeyCreated
