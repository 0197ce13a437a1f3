"""Handover tokens: a visitor's id on its way between two hosts of a shop, for one destination and a short time.

Sealed for the purpose `handover` (credentials/sealed); the document is `{"shop", "vid", "dst", "exp", "jti"}`. A random
`jti` makes two tokens of one visitor and second different, because each works once.
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


def make_handover(roots: RootKeys, handover: Handover, jti: str) -> str:
    """Return the token, `v1.<kid>.<payload>.<mac>`; `jti` is new for each."""
    return _SEAL.close(
        roots,
        {
            "shop": handover.shop_id,
            "vid": handover.visitor_id,
            "dst": handover.destination,
            "exp": handover.expires_at,
            "jti": jti,
        },
    )


def read_handover(roots: RootKeys, token: str, *, shop_id: str, host: str, now_seconds: int) -> Handover:
    """Return the handover of a token to this host of this shop. Whether it was used is not known here.

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
    return Handover(shop_id=shop_id, visitor_id=claims["vid"], destination=host, expires_at=claims["exp"])


def id_of(token: str) -> str:
    """Return what identifies a token that was read: its signature, which no other token has."""
    return token.rpartition(".")[2]
