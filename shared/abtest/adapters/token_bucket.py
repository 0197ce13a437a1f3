"""The arithmetic of rate limits: a token bucket kept as one number, the moment at which it will be full again.

This is the generic cell rate algorithm. A token comes back every `interval`; taking one moves `full_at` that far into
the future. The bucket is empty when `full_at` lies a whole window ahead, so what can be taken is what still fits:

    now            full_at                        now + window
     |---- taken ----|-------- still in the bucket -----|

Times are whole microseconds since the Unix epoch, so that two stores never differ by a rounding.
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

    One token comes back every `interval`; taking moves `full_at` by `advance`, and `latest` is the last `full_at` from
    which there is enough to take.
    """

    limit: int
    window: int
    cost: int
    now: int
    interval: int
    advance: int
    latest: int

    def refuses(self, full_at: int) -> bool:
        """Whether a bucket that is full at that moment holds too little; one that only looks is never refused."""
        return self.cost > self.limit or (self.cost > 0 and full_at > self.latest)

    def is_empty(self, full_at: int) -> bool:
        """Whether a bucket that is full at that moment holds not even one token."""
        return full_at > self.now + self.window - self.interval

    def allowed(self, full_at: int) -> RateDecision:
        """The decision after taking; `full_at` is the new one."""
        return self._decision(True, full_at, retry_after=0)

    def denied(self, full_at: int) -> RateDecision:
        """The decision when too little is left; `full_at` is the one found."""
        wait = self.window if self.cost > self.limit else full_at - self.latest
        return self._decision(False, full_at, retry_after=max(1, -(-wait // _SECOND)))

    def unasked(self) -> RateDecision:
        """The decision when the store does not answer: the request passes, as if it were the first."""
        return self.allowed(self.now + self.advance)

    def _decision(self, allowed: bool, full_at: int, retry_after: int) -> RateDecision:
        left = (self.window - max(0, full_at - self.now)) // self.interval
        return RateDecision(
            allowed=allowed,
            limit=self.limit,
            remaining=max(0, min(self.limit, left)),
            reset_at=-(-max(self.now, full_at) // _SECOND),
            retry_after=retry_after,
        )


def attempt(*, limit: int, window_seconds: int, cost: int, now: datetime) -> Take:
    """Raises ValueError for a limit or window below one, and for a cost below nought; nought only looks."""
    if min(limit, window_seconds) < 1 or cost < 0:
        raise ValueError("limit and window are at least 1, cost is at least 0")
    window, moment = window_seconds * _SECOND, (now - _EPOCH) // _MICROSECOND
    interval = max(1, window // limit)
    advance = interval * cost
    return Take(limit, window, cost, moment, interval, advance, latest=moment + window - advance)
