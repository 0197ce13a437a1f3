"""How many requests one address may make of the public edge routes."""

from ipaddress import IPv6Address

from abtest.kit.clock import Clock
from abtest.ports.limits import RateLimiter
from abtest.services.throttling import RateLimitedError

REQUESTS_PER_WINDOW, WINDOW_SECONDS = 300, 60


def take_one(limiter: RateLimiter, clock: Clock, address: str) -> None:
    """Count a request of the address. Raises RateLimitedError."""
    decision = limiter.take(
        f"edge#{_household(address)}", limit=REQUESTS_PER_WINDOW, window_seconds=WINDOW_SECONDS, now=clock.now()
    )
    if not decision.allowed:
        raise RateLimitedError(decision)


def _household(address: str) -> str:
    """The address; of IPv6 the first 64 bits, because one subscriber has all the rest."""
    if ":" not in address:
        return address
    return str(IPv6Address(int(IPv6Address(address.partition("%")[0])) >> 64 << 64))
