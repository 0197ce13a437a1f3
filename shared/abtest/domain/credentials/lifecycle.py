"""Lifecycle of a key: narrowing, rotation, revocation, and the limits on its life and its scopes."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from abtest.domain.credentials.api_keys import ApiKey, with_implied
from abtest.kit.clock import Timestamp, later
from abtest.kit.errors import ConflictError, FieldError, ServiceError, ValidationFailedError

# Two years with a leap day.
MAX_LIFE = timedelta(days=731)
MAX_LIVE_KEYS = 50
DEFAULT_GRACE_SECONDS, MAX_GRACE_SECONDS = 86_400, 604_800


class ScopeNotHeldError(ServiceError):
    """A key cannot grant a scope that it lacks."""

    status = 403
    code = "insufficient_scope"

    def __init__(self, scope: str) -> None:
        super().__init__(f"a key cannot grant the scope {scope} that it lacks itself", facts={"required_scope": scope})


def refuse_unheld(held: frozenset[str], granted: Iterable[str]) -> None:
    """Raise ScopeNotHeldError for the first scope, in order, that the granting key does not hold."""
    lacking = sorted(with_implied(granted) - held)
    if lacking:
        raise ScopeNotHeldError(lacking[0])


def refuse_expiry(expires_at: Timestamp | None, now: Timestamp) -> None:
    """Raise ValidationFailedError unless the moment is within the next two years."""
    if expires_at is None:
        return
    latest = later(now, MAX_LIFE)
    if not now < expires_at <= latest:
        problem = FieldError("expires_at", "must be in the future, two years ahead at most")
        raise ValidationFailedError("expires_at is out of range", fields=[problem])


def updated(key: ApiKey, changes: Mapping[str, Any], now: Timestamp) -> ApiKey:
    """Return the key with another name, fewer scopes or another expiry.

    Raises ConflictError for a dead or rotated key, ValidationFailedError for wider scopes or an expiry out of range.
    """
    _refuse_dead(key, now)
    refuse_expiry(changes.get("expires_at"), now)
    if "scopes" in changes and not with_implied(changes["scopes"]) <= key.effective_scopes:
        problem = FieldError("scopes", "may only become fewer; make a new key to grant more")
        raise ValidationFailedError("scopes can only be narrowed", fields=[problem])
    fitting = {**changes, "scopes": tuple(changes.get("scopes", key.scopes))}
    return _next(key, fitting, now)


def retired(key: ApiKey, successor_id: str, grace_seconds: int, now: Timestamp) -> ApiKey:
    """Return the old key of a rotation: it ends after the grace, or when it would have ended anyway.

    Raises ConflictError for a dead or rotated key.
    """
    _refuse_dead(key, now)
    end = later(now, timedelta(seconds=grace_seconds))
    return _next(key, {"expires_at": min(end, key.expires_at or end), "rotated_to": successor_id}, now)


def revoked(key: ApiKey, now: Timestamp) -> ApiKey:
    """Return the key, revoked now; one that was revoked before stays as it is."""
    return key if key.revoked_at else _next(key, {"revoked_at": now}, now)


def _refuse_dead(key: ApiKey, now: Timestamp) -> None:
    # A rotated key is live until its grace ends. A second rotation would lose the link to the first successor.
    if key.rotated_to is not None and key.revoked_at is None:
        facts = {"current_status": "rotated", "allowed_actions": ["revoke"]}
        raise ConflictError("the key was rotated; its successor is named in rotated_to", facts=facts)
    if not key.is_live(now):
        facts = {"current_status": "revoked" if key.revoked_at else "expired", "allowed_actions": []}
        raise ConflictError("the key is revoked or has expired", facts=facts)


def _next(key: ApiKey, changes: Mapping[str, Any], now: Timestamp) -> ApiKey:
    after = replace(key, **changes)
    return key if after == key else replace(after, updated_at=now, version=key.version + 1)
