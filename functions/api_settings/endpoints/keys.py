"""Routes of API keys."""

from typing import Annotated, Literal

from abtest.contract import keys as contract
from abtest.contract.base import ListOf
from abtest.contract.errors import InvalidStateTransitionEnvelope
from abtest.domain.credentials.lifecycle import ScopeNotHeldError
from abtest.http.deps import Caller, IfMatch, Page, PathId, require, reveals_secret, use
from abtest.http.listing import NarrowedOrArchived
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ConflictError, LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.keys import Keys

KeyReader = Annotated[Caller, require("keys:read")]
KeyWriter = Annotated[Caller, require("keys:write")]
KeyUse = Annotated[Keys, use(Keys)]

router = Router("/api-keys", tag="API keys")


@router.get("", operation_id="listApiKeys", responses=errors(LimitReachedError))
def list_keys(
    caller: KeyReader,
    page: Page,
    use_keys: KeyUse,
    filters: NarrowedOrArchived,
    kind: Literal["shop", "tracking_source"] | None = None,
) -> ListOf[contract.ApiKey]:
    """List the keys of the shop, newest first, without secrets. Revoked keys count as archived."""
    items, last = use_keys.list(caller, filters.where(key_kind=kind), limit=page.limit, after=page.after)
    return page.page(items, last)


@router.post(
    "",
    operation_id="createApiKey",
    status_code=201,
    responses=errors(ScopeNotHeldError, ValidationFailedError, LimitReachedError),
)
@reveals_secret
def create_key(caller: KeyWriter, body: contract.CreateApiKey, use_keys: KeyUse) -> contract.ApiKeyCreated:
    """Create a key. The secret is shown only in this response. A key cannot grant scopes it does not have.

    A shop has at most 50 live keys; a rotated key counts during its grace period.
    """
    return use_keys.create(caller, body)


@router.get("/{key_id}", operation_id="getApiKey", responses=errors(NotFoundError))
def get_key(key_id: PathId, caller: KeyReader, use_keys: KeyUse) -> contract.ApiKey:
    """Return one key, without its secret."""
    return use_keys.get(caller, key_id)


@router.patch(
    "/{key_id}",
    operation_id="updateApiKey",
    responses=errors(NotFoundError, ConflictError, ValidationFailedError, s409=InvalidStateTransitionEnvelope),
)
def update_key(
    key_id: PathId, caller: KeyWriter, body: contract.UpdateApiKey, if_match: IfMatch, use_keys: KeyUse
) -> contract.ApiKey:
    """Rename a key, remove scopes or change its expiry. Reads follow within 10 seconds, writes at once."""
    return use_keys.update(caller, key_id, body, if_match)


@router.post(
    "/{key_id}/rotate",
    operation_id="rotateApiKey",
    status_code=201,
    responses=errors(
        NotFoundError, ConflictError, ScopeNotHeldError, LimitReachedError, s409=InvalidStateTransitionEnvelope
    ),
)
@reveals_secret
def rotate_key(
    key_id: PathId,
    caller: KeyWriter,
    if_match: IfMatch,
    use_keys: KeyUse,
    body: contract.RotateApiKey | None = None,
) -> contract.ApiKeyCreated:
    """Create a successor with the same scopes and a new secret, shown only in this response.

    The old key stays valid for `grace_seconds`. The caller must have all scopes of the key (403 `insufficient_scope`).
    A shop with 50 live keys can rotate only with `grace_seconds` 0.
    """
    return use_keys.rotate(caller, key_id, (body or contract.RotateApiKey()).grace_seconds, if_match)


@router.post("/{key_id}/revoke", operation_id="revokeApiKey", responses=errors(NotFoundError))
def revoke_key(
    key_id: PathId,
    caller: KeyWriter,
    if_match: IfMatch,
    use_keys: KeyUse,
    body: contract.RevokeApiKey | None = None,
) -> contract.ApiKey:
    """Revoke a key. Writes are refused immediately, reads within 10 seconds. Revoking it again has no effect."""
    return use_keys.revoke(caller, key_id, body.reason if body else None, if_match)
