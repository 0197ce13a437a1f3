"""Cart hand-offs in the store: written with an assignment, removed when nothing is assigned any more."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from abtest.domain.assignment.handoff import HANDOFF_KEPT, Handoff, handoff_name, sign_handoff, stamps
from abtest.domain.assignment.shapes import StampRecord
from abtest.domain.credentials.signing import RootKeys
from abtest.kit.clock import Clock, timestamp
from abtest.ports.limits import Sessions

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Handoffs:
    """Signs and stores records of carts. A failing store is reported in the response and fails no assignment."""

    sessions: Sessions
    roots: Callable[[], RootKeys]
    clock: Clock

    def hand_off(
        self, shop_id: str, cart_id: str, user_id: str | None, assignments: Sequence[StampRecord]
    ) -> dict[str, Any]:
        """Return the fields of the response; without assignments the cart's earlier record is deleted."""
        name = handoff_name(shop_id, cart_id)
        signed = self._signed(shop_id, cart_id, user_id, assignments) if assignments else None
        is_kept = (signed is not None or not assignments) and self._done(lambda: self._store(name, signed))
        # An older stamp must not stay for a cart whose assignments have changed.
        is_stale = not is_kept and not self._done(lambda: self.sessions.delete(name))
        return {"commerce_authorization": signed, "handoff_persisted": is_kept, "handoff_stale_risk": is_stale}

    def _signed(
        self, shop_id: str, cart_id: str, user_id: str | None, assignments: Sequence[StampRecord]
    ) -> str | None:
        """The record's signed form; None while the signing keys cannot be read."""
        now = self.clock.now()
        handoff = Handoff(
            shop_id=shop_id,
            cart_id=cart_id,
            user_id=user_id,
            assignments=stamps(assignments),
            issued_at=timestamp(now),
            expires_at=timestamp(now + HANDOFF_KEPT),
        )
        try:
            return sign_handoff(self.roots(), handoff)
        except Exception:
            _log.exception("handoff.unsigned")
            return None

    def _store(self, name: str, signed: str | None) -> None:
        if signed is None:
            self.sessions.delete(name)
        else:
            self.sessions.put(name, {"authorization": signed}, expires_at=self.clock.now() + HANDOFF_KEPT)

    def _done(self, step: Callable[[], None]) -> bool:
        try:
            step()
        except Exception:
            _log.exception("handoff.unstored")
            return False
        return True
