"""Preview tokens: signed grants in preview links, from which the preview host learns which pages it may show.

`v1.<kid>.<base64url(JSON)>.<base64url(HMAC-SHA256(key of kid, "pst:" + first three parts))>`; the session that `sid`
names must exist as well, which makes a link revocable.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from abtest.domain.credentials.sealed import BrokenSealError, Seal
from abtest.domain.credentials.signing import RootKeys

AUDIENCE = "preview"
MAX_HOSTS = 10
MAX_SECONDS = 7200
_LONGEST_TOKEN = 4096
_SEAL = Seal("preview", "pst")


class InvalidPreviewTokenError(ValueError):
    """The text is not a token of ours."""


class ExpiredPreviewTokenError(InvalidPreviewTokenError):
    """The token is ours and has expired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewGrant:
    """Permission to show pages of these hosts (host:port, exactly) until `expires_at` (Unix seconds)."""

    session_id: str
    shop_id: str
    hosts: Sequence[str]
    expires_at: int
    experiment_id: str | None = None
    variation_id: str | None = None


def make_token(roots: RootKeys, grant: PreviewGrant) -> str:
    """Return the signed token of a grant."""
    claims = {
        "sid": grant.session_id,
        "shop": grant.shop_id,
        "hosts": list(grant.hosts),
        "exp": grant.expires_at,
        "aud": AUDIENCE,
        "eid": grant.experiment_id,
        "vid": grant.variation_id,
    }
    present = {name: value for name, value in claims.items() if value is not None}
    return _SEAL.close(roots, present)


def read_token(roots: RootKeys, token: str, now_seconds: int) -> PreviewGrant:
    """Return the grant of a token, whose signature is compared in constant time before it is parsed.

    Raises InvalidPreviewTokenError, ExpiredPreviewTokenError.
    """
    if len(token) > _LONGEST_TOKEN:
        raise InvalidPreviewTokenError("not a preview token")
    try:
        claims = _SEAL.open(roots, token)
    except BrokenSealError as error:
        raise InvalidPreviewTokenError(str(error)) from error
    if claims.get("aud") != AUDIENCE:
        raise InvalidPreviewTokenError("made for another audience")
    if claims["exp"] <= now_seconds:
        raise ExpiredPreviewTokenError("the preview has expired")
    return PreviewGrant(
        session_id=claims["sid"],
        shop_id=claims["shop"],
        hosts=tuple(claims["hosts"]),
        expires_at=claims["exp"],
        experiment_id=claims.get("eid"),
        variation_id=claims.get("vid"),
    )
