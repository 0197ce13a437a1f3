"""Handover tokens: a visitor's id on its way between two hosts of a shop, for one destination and a short time.

Sealed for the purpose `handover` (credentials/sealed); the document is `{"shop", "vid", "dst", "exp"}`.
"""

from dataclasses import dataclass

from abtest.domain.credentials.sealed import BrokenSealError, Seal
from abtest.domain.credentials.signing import RootKeys

LONGEST_TOKEN = 1024
_SEAL = Seal("handover", "handover")


class InvalidHandoverError(ValueError):
    """The text is not a token of ours, or was made for another shop or host."""


class ExpiredHandoverError(InvalidHandoverError):
    """The token is ours and has expired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """Visitor that is handed over, and the destination host. `expires_at` is Unix seconds."""

    shop_id: str
    visitor_id: str
    destination: str
    expires_at: int


def make_handover(roots: RootKeys, handover: Handover) -> str:
    """Return the token, `v1.<kid>.<payload>.<mac>`."""
    return _SEAL.close(
        roots,
        {
            "shop": handover.shop_id,
            "vid": handover.visitor_id,
            "dst": handover.destination,
            "exp": handover.expires_at,
        },
    )


def read_handover(roots: RootKeys, token: str, *, shop_id: str, host: str, now_seconds: int) -> str:
    """Return the visitor's id that a token hands over to this host of this shop.

    Raises InvalidHandoverError, ExpiredHandoverError.
    """
    # Before anything is computed: the token is part of a request, so its sender chooses the length.
    if len(token) > LONGEST_TOKEN:
        raise InvalidHandoverError("not a token of this service")
    try:
        claims = _SEAL.open(roots, token)
    except BrokenSealError as error:
        raise InvalidHandoverError(str(error)) from error
    if (claims["shop"], claims["dst"]) != (shop_id, host):
        raise InvalidHandoverError("made for another shop or host")
    if claims["exp"] <= now_seconds:
        raise ExpiredHandoverError("the handover has expired")
    return str(claims["vid"])
