"""Preview tokens: signed grants in preview links, for the preview proxy or for the shop's own pages.

`v1.<kid>.<base64url(JSON)>.<base64url(HMAC-SHA256(key of kid, "pst:" + first three parts))>`; the session that `sid`
names must exist as well, which makes a link revocable. A token is valid for its own audience only.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from abtest.domain.credentials.sealed import BrokenSealError, Seal
from abtest.domain.credentials.signing import RootKeys

Audience = Literal["preview", "storefront", "landing_page"]
"""Reader of a token: the preview proxy, the routes that the shop's own pages load from, or the page being written."""

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
    """Permission to show pages of these hosts (host:port, exactly) until `expires_at` (Unix seconds).

    `variation_id` is what is shown: the id of a variation, the key of an experience, or the value of a flag. `version`
    is that of the experiment, personalization or flag.
    """

    session_id: str
    shop_id: str
    hosts: Sequence[str]
    expires_at: int
    audience: Audience = "preview"
    experiment_id: str | None = None
    personalization_id: str | None = None
    flag_id: str | None = None
    variation_id: str | None = None
    version: int | None = None


def make_token(roots: RootKeys, grant: PreviewGrant) -> str:
    """Return the signed token of a grant."""
    claims = {
        "sid": grant.session_id,
        "shop": grant.shop_id,
        "hosts": list(grant.hosts),
        "exp": grant.expires_at,
        "aud": grant.audience,
        "eid": grant.experiment_id,
        "pid": grant.personalization_id,
        "fid": grant.flag_id,
        "vid": grant.variation_id,
        "ver": grant.version,
    }
    present = {name: value for name, value in claims.items() if value is not None}
    return _SEAL.close(roots, present)


def read_token(roots: RootKeys, token: str, now_seconds: int, *, audience: Audience = "preview") -> PreviewGrant:
    """Return the grant of a token for this audience, whose signature is compared in constant time before it is parsed.

    Raises InvalidPreviewTokenError, ExpiredPreviewTokenError.
    """
    if len(token) > _LONGEST_TOKEN:
        raise InvalidPreviewTokenError("not a preview token")
    try:
        claims = _SEAL.open(roots, token)
    except BrokenSealError as error:
        raise InvalidPreviewTokenError(str(error)) from error
    if claims.get("aud") != audience:
        raise InvalidPreviewTokenError("made for another audience")
    if claims["exp"] <= now_seconds:
        raise ExpiredPreviewTokenError("the preview has expired")
    return PreviewGrant(
        session_id=claims["sid"],
        shop_id=claims["shop"],
        hosts=tuple(claims["hosts"]),
        expires_at=claims["exp"],
        audience=audience,
        experiment_id=claims.get("eid"),
        personalization_id=claims.get("pid"),
        flag_id=claims.get("fid"),
        variation_id=claims.get("vid"),
        version=claims.get("ver"),
    )
