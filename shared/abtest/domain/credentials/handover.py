"""Handover tokens: a visitor's id on its way between two hosts of a shop, for one destination and a short time.

Sealed for the purpose `handover` (credentials/sealed); the document is `{"shop", "vid", "dst", "exp"}`.
"""

from dataclasses import dataclass

from abtest.domain.credentials.sealed import BrokenSealError, Seal
from abtest.domain.credentials.signing import RootKeys

LONGEST_TOKEN = 1024
_SEAL = Seal("handover", "handover")


class InvalidHandoverError(ValueError):
    """The text is no token of ours, or not of this shop and host."""


class ExpiredHandoverError(InvalidHandoverError):
    """The token was ours and is over."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handover:
    """Who is handed over, and to which host. `expires_at` is Unix seconds."""

    shop_id: str
    visitor_id: str
    destination: str
    expires_at: int


def make_handover(roots: RootKeys, handover: Handover) -> str:
    """The token, `v1.<kid>.<payload>.<mac>`."""
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
    """The visitor's id that a token hands over to this host of this shop.

    Raises InvalidHandoverError, ExpiredHandoverError.
    """
    if len(token) > LONGEST_TOKEN:
        raise InvalidHandoverError("nothing that we sealed")
    try:
        said = _SEAL.open(roots, token)
    except BrokenSealError as error:
        raise InvalidHandoverError(str(error)) from error
    if (said["shop"], said["dst"]) != (shop_id, host):
        raise InvalidHandoverError("made for another shop or host")
    if said["exp"] <= now_seconds:
        raise ExpiredHandoverError("the handover is over")
    return str(said["vid"])
