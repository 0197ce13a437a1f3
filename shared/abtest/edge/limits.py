"""Rate limit of one address on the public edge routes."""

from abtest.kit.clock import Clock
from abtest.ports.limits import RateLimiter
from abtest.services.rate_limits import RateLimitedError, household

REQUESTS_PER_WINDOW, WINDOW_SECONDS = 300, 60


def take_one(limiter: RateLimiter, clock: Clock, address: str) -> None:
    """Count a request of the address. Raises RateLimitedError."""
    decision = limiter.take(
        f"edge#{household(address)}", limit=REQUESTS_PER_WINDOW, window_seconds=WINDOW_SECONDS, now=clock.now()
    )
    if not decision.allowed:
        raise RateLimitedError(decision, "requests from this address")
