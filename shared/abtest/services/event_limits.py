"""Limits of events: those of a shop, and within them those of one address."""

from dataclasses import dataclass

from abtest.kit.clock import Clock
from abtest.ports.limits import RateDecision, RateLimiter
from abtest.services.rate_limits import RateLimitedError, household

EVENTS_PER_WINDOW, WINDOW_SECONDS = 60_000, 60
ASSURED_PER_WINDOW = EVENTS_PER_WINDOW // 200
"""Events of an address that only the limit of the shop can refuse."""

SPARE = EVENTS_PER_WINDOW // 2
"""Events that must be left of the shop's limit when an address gets more than the assured ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EventLimits:
    """Events that are accepted in a minute.

    The signature of browsers is public, so anyone can send events with it. From one address they are limited to
    `browser_events`, and those beyond ASSURED_PER_WINDOW are accepted only while the shop has SPARE left. So a flood
    from one address gets less than a hundredth of what the shop needs itself, while shoppers behind a shared address
    may send more than that on all other days. `server_events` limits an address that proves a secret.
    """

    limiter: RateLimiter
    clock: Clock
    browser_events: int = EVENTS_PER_WINDOW // 10
    server_events: int = EVENTS_PER_WINDOW

    def take(self, shop_id: str, events: int, *, address: str, is_browser: bool) -> None:
        """Count the events of an authenticated request. Raises RateLimitedError."""
        if is_browser:
            self._take_of_browser(shop_id, events, household(address))
        elif self.server_events < EVENTS_PER_WINDOW:
            bucket = f"events#{shop_id}#server#{household(address)}"
            _refuse_unless_allowed(self._take(bucket, self.server_events, events), "from this address")
        _refuse_unless_allowed(self._take(f"events#{shop_id}", EVENTS_PER_WINDOW, events))

    def _take_of_browser(self, shop_id: str, events: int, subscriber: str) -> None:
        bucket, assured = f"events#{shop_id}#{subscriber}", min(ASSURED_PER_WINDOW, self.browser_events)
        decision = self._take(bucket, assured, events)
        if decision.allowed:
            return
        if more := self.browser_events - assured:
            # Before the shop's bucket is read: the limiter refuses from memory, so a flood costs no calls.
            _refuse_unless_allowed(self._take(f"{bucket}#more", more, events), f"from this address beyond {assured}")
            if self._take(f"events#{shop_id}", EVENTS_PER_WINDOW, 0).remaining - events >= SPARE:
                return
        _refuse_unless_allowed(decision, "from this address")

    def _take(self, bucket: str, limit: int, events: int) -> RateDecision:
        now = self.clock.now()
        return self.limiter.take(bucket, limit=limit, window_seconds=WINDOW_SECONDS, now=now, cost=events)


def _refuse_unless_allowed(decision: RateDecision, origin: str = "") -> None:
    if not decision.allowed:
        raise RateLimitedError(decision, f"events of this shop {origin}".rstrip())
