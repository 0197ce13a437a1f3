"""The cart hand-off: what a server was told about a cart, signed, so that whoever prices the cart can rely on it.

It names experiments, variations and epochs, never the customer. Sealed for the purpose `handoff` (credentials/sealed);
it holds for one cart of one shop, until it ends.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha256
from typing import Any

from abtest.domain.assignment.shapes import HandoffRecord, StampRecord
from abtest.domain.credentials.sealed import BrokenSealError, Seal
from abtest.domain.credentials.signing import RootKeys
from abtest.kit.clock import Timestamp

HANDOFF_KEPT = timedelta(hours=24)
_SEAL = Seal("handoff", "handoff")


class InvalidHandoffError(ValueError):
    """The text is no hand-off of ours, or not of this cart."""


class ExpiredHandoffError(InvalidHandoffError):
    """The hand-off was ours and is over."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """One assignment that goes with the cart."""

    experiment_id: str
    variation_id: str
    assignment_epoch: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Handoff:
    """The record of a cart. `user_id` is None where only a customer id was used."""

    shop_id: str
    cart_id: str
    user_id: str | None
    assignments: tuple[Stamp, ...]
    issued_at: Timestamp
    expires_at: Timestamp


def handoff_name(shop_id: str, cart_id: str) -> str:
    """What a cart's record is stored under."""
    return f"handoff:{shop_id}:{sha256(cart_id.encode(errors='surrogatepass')).hexdigest()}"


def sign_handoff(roots: RootKeys, handoff: Handoff) -> str:
    """The compact signed form, `v1.<kid>.<payload>.<mac>`."""
    return _SEAL.close(roots, _document(handoff))


def read_handoff(roots: RootKeys, text: str, *, shop_id: str, cart_id: str, now: Timestamp) -> Handoff:
    """The record that a signed form carries, for this cart of this shop.

    Raises InvalidHandoffError, ExpiredHandoffError.
    """
    try:
        handoff = _handoff(_SEAL.open(roots, text))
    except BrokenSealError as error:
        raise InvalidHandoffError(str(error)) from error
    if (handoff.shop_id, handoff.cart_id) != (shop_id, cart_id):
        raise InvalidHandoffError("made for another cart")
    if handoff.expires_at <= now:
        raise ExpiredHandoffError("the hand-off is over")
    return handoff


def stamps(assignments: Iterable[StampRecord]) -> tuple[Stamp, ...]:
    """What goes with the cart of the assignments that were told."""
    return tuple(Stamp(each["experiment_id"], each["variation_id"], each["assignment_epoch"]) for each in assignments)


def _document(handoff: Handoff) -> HandoffRecord:
    """The record as JSON; spelled out, since `asdict` copies what is copied anyway and takes ten times as long."""
    return {
        "shop_id": handoff.shop_id,
        "cart_id": handoff.cart_id,
        "user_id": handoff.user_id,
        "assignments": [
            {
                "experiment_id": stamp.experiment_id,
                "variation_id": stamp.variation_id,
                "assignment_epoch": stamp.assignment_epoch,
            }
            for stamp in handoff.assignments
        ],
        "issued_at": handoff.issued_at,
        "expires_at": handoff.expires_at,
    }


def _handoff(document: Mapping[str, Any]) -> Handoff:
    return Handoff(**{**document, "assignments": stamps(document["assignments"])})
