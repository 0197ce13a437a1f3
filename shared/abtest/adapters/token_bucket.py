"""Arithmetic of rate limits: a token bucket stored as one number, the moment at which it will be full again.

This is the generic cell rate algorithm. A token is refilled every `interval`; taking one moves `full_at` by that much.
The bucket is empty when `full_at` is a whole window ahead of now:

    now            full_at                        now + window
     |---- taken ----|-------- still in the bucket -----|

Times are whole microseconds since the Unix epoch, so that two stores never differ by rounding.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from abtest.ports.limits import RateDecision

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = 1_000_000
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Take:
    """One attempt to take `cost` tokens at `now` from a bucket of `limit` that refills in `window` microseconds.

    A token is refilled every `interval`. Taking moves `full_at` by `advance`. `latest` is the highest `full_at` at
    which the bucket has enough tokens.
    """

    limit: int
    window: int
    cost: int
    now: int
    interval: int
    advance: int
    latest: int

    def refuses(self, full_at: int) -> bool:
        """Return whether the bucket has too few tokens. A cost of 0 is never refused."""
        # The first test is needed: after a long idle time, `full_at` is before `latest` for any cost.
        return self.cost > self.limit or (self.cost > 0 and full_at > self.latest)

    def is_empty(self, full_at: int) -> bool:
        """Return whether the bucket has less than one token."""
        return full_at > self.now + self.window - self.interval

    def allowed(self, full_at: int) -> RateDecision:
        """Return the decision after taking; `full_at` is the new one."""
        return self._decision(True, full_at, retry_after=0)

    def denied(self, full_at: int) -> RateDecision:
        """Return the decision when too few tokens are left; `full_at` is the stored one."""
        # Whole seconds are rounded up: a client that returns a fraction too early would be refused again.
        wait = self.window if self.cost > self.limit else full_at - self.latest
        return self._decision(False, full_at, retry_after=max(1, -(-wait // _SECOND)))

    def without_store(self) -> RateDecision:
        """Return the decision when the store does not respond: the request is allowed, as if it were the first."""
        return self.allowed(self.now + self.advance)

    def _decision(self, allowed: bool, full_at: int, retry_after: int) -> RateDecision:
        left = (self.window - max(0, full_at - self.now)) // self.interval
        return RateDecision(
            allowed=allowed,
            limit=self.limit,
            # The window may have room for more tokens than the limit, because `interval` is rounded down.
            remaining=max(0, min(self.limit, left)),
            reset_at=-(-max(self.now, full_at) // _SECOND),
            retry_after=retry_after,
        )


def attempt(*, limit: int, window_seconds: int, cost: int, now: datetime) -> Take:
    """Return the attempt in microseconds. Raises ValueError for a limit or window below 1, or a cost below 0."""
    if min(limit, window_seconds) < 1 or cost < 0:
        raise ValueError("limit and window must be at least 1, cost at least 0")
    window, moment = window_seconds * _SECOND, (now - _EPOCH) // _MICROSECOND
    # At least 1 µs: with 0, tokens would be free and `_decision` would divide by zero.
    interval = max(1, window // limit)
    advance = interval * cost
    return Take(limit, window, cost, moment, interval, advance, latest=moment + window - advance)
