"""Signed cart hand-off: the assignments that a server got for a cart, for the service that prices the cart.

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
    """Text that is not a hand-off of this service for this cart."""


class ExpiredHandoffError(InvalidHandoffError):
    """Valid hand-off that has expired."""


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
    """Return the name under which a cart's record is stored."""
    # A cart id is any text of any length; its digest is safe as part of a key. Lone surrogates must not raise here.
    return f"handoff:{shop_id}:{sha256(cart_id.encode(errors='surrogatepass')).hexdigest()}"


def sign_handoff(roots: RootKeys, handoff: Handoff) -> str:
    """Return the compact signed form, `v1.<kid>.<payload>.<mac>`."""
    return _SEAL.close(roots, handoff_record(handoff))


def read_handoff(roots: RootKeys, text: str, *, shop_id: str, cart_id: str, now: Timestamp) -> Handoff:
    """Return the record of a signed form, if it is for this cart of this shop.

    Raises InvalidHandoffError, ExpiredHandoffError.
    """
    try:
        document: Mapping[str, Any] = _SEAL.open(roots, text)
    except BrokenSealError as error:
        raise InvalidHandoffError(str(error)) from error
    handoff = Handoff(**{**document, "assignments": stamps(document["assignments"])})
    # The seal proves only the origin. Without this check a hand-off could be replayed on another cart.
    if (handoff.shop_id, handoff.cart_id) != (shop_id, cart_id):
        raise InvalidHandoffError("made for another cart")
    if handoff.expires_at <= now:
        raise ExpiredHandoffError("the hand-off is over")
    return handoff


def stamps(assignments: Iterable[StampRecord]) -> tuple[Stamp, ...]:
    """Return the parts of assignments that go with the cart."""
    return tuple(Stamp(each["experiment_id"], each["variation_id"], each["assignment_epoch"]) for each in assignments)


def handoff_record(handoff: Handoff) -> HandoffRecord:
    """Return the record as JSON. `asdict` would take ten times as long, because it copies deeply."""
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
