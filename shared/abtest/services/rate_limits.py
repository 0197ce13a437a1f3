"""Error of every rate limit, and the limit that all interfaces share: failed authentications of an address."""

from dataclasses import dataclass, replace
from ipaddress import IPv6Address

from abtest.kit.clock import Clock
from abtest.kit.errors import ServiceError
from abtest.ports.limits import RateDecision, RateLimiter

FAILURES_PER_IP, FAILURE_WINDOW_SECONDS = 30, 60


class RateLimitedError(ServiceError):
    """Too many requests; `Retry-After` gives the seconds to wait."""

    status = 429
    code = "rate_limited"

    def __init__(self, decision: RateDecision) -> None:
        wait = max(1, decision.retry_after)
        super().__init__(f"too many requests; try again in {wait} s", headers={"Retry-After": str(wait)})
        self.decision = decision


def household(address: str) -> str:
    """Return the subscriber's address; of IPv6 the first 64 bits, because one subscriber has the rest."""
    if ":" not in address:
        return address
    return str(IPv6Address(int(IPv6Address(address.partition("%")[0])) >> 64 << 64))


@dataclass(frozen=True, slots=True)
class FailedAuthentications:
    """Counter of wrong credentials by client address."""

    limiter: RateLimiter
    clock: Clock

    def refuse_after_many(self, address: str) -> None:
        """Call before looking a key up. Raises RateLimitedError when the address failed too often."""
        decision = self._take(address, cost=0)
        if decision.remaining < 1:
            # A look costs nothing, so the decision has no wait: one more attempt is allowed after this long.
            raise RateLimitedError(replace(decision, retry_after=FAILURE_WINDOW_SECONDS // FAILURES_PER_IP))

    def count(self, address: str) -> None:
        """Note a failure."""
        self._take(address, cost=1)

    def _take(self, address: str, *, cost: int) -> RateDecision:
        return self.limiter.take(
            f"failed-authentication#{household(address)}",
            limit=FAILURES_PER_IP,
            window_seconds=FAILURE_WINDOW_SECONDS,
            now=self.clock.now(),
            cost=cost,
        )
