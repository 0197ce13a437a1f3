"""Rate limits on DynamoDB: token buckets that all instances share, with one write per request."""

import logging
from datetime import datetime, timedelta

from botocore.exceptions import ClientError
from pynamodb.expressions.operand import Path

from abtest.adapters import aws, token_bucket
from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.ephemeral import ephemeral_table
from abtest.adapters.dynamo.table import ConditionFailedError, absent
from abtest.adapters.token_bucket import Take
from abtest.kit.deadlines import DeadlineError, within
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.limits import RateDecision

MAX_REMEMBERED = 10_000
PAUSE = timedelta(seconds=5)
"""Time without calls after the table did not respond. Waiting for it at each request would stop the service."""

log = logging.getLogger(__name__)


class DynamoRateLimiter:
    """Rate limiter with one item per bucket: `full_at`, the microsecond when it is full (see adapters/token_bucket.py).

    Taking means `full_at = max(full_at, now) + advance`. Update expressions have no max, so there are two forms of the
    update, and a condition on the item selects the right one:

                        now                     latest       now + window
        ---- idle -------|-------- in use --------|---- empty ----|
          set now + advance     add advance           refuse

    `full_at` only rises, so the last value that this process read is a lower bound of the stored one. If it is later
    than `latest`, the request is refused without a call, which makes floods cheap. If it is later than `now`, the
    bucket is in use; otherwise it is probably idle. A wrong guess, because another instance used the bucket, returns
    the item, and the second call is right.
    """

    def __init__(self, table_name: str) -> None:
        self._table = ephemeral_table(table_name)
        self._seen: dict[str, int] = {}
        self._skip_calls_until: datetime | None = None
        self._slow_until: datetime | None = None

    def take(self, bucket: str, *, limit: int, window_seconds: int, now: datetime, cost: int = 1) -> RateDecision:
        take = token_bucket.attempt(limit=limit, window_seconds=window_seconds, cost=cost, now=now)
        key = keys.hashed("RATE", bucket)
        seen = self._seen.get(key, 0)
        if take.refuses(seen):
            return take.denied(seen)
        # `seen` is a lower bound of `full_at`: a bucket that is empty even by it needs no call.
        if take.cost == 0 and take.is_empty(seen):
            return take.allowed(seen)
        if self._skip_calls_until and now < self._skip_calls_until:
            return take.without_store()
        seconds = aws.waits().limiter
        if seconds is None:
            return self._take_if_available(key, take, now)
        self._table.connect()
        is_slow = self._slow_until is not None and now < self._slow_until
        try:
            # The call is not ended at the deadline: it counts this request all the same, and `seen` has its result.
            waited = 0 if is_slow else seconds
            return within(waited, lambda: self._take_if_available(key, take, now), group="limiter")
        except DeadlineError as error:
            if not is_slow:
                self._slow_until = now + PAUSE
                self._warn(error)
            return take.without_store()

    def _take_if_available(self, key: str, take: Take, now: datetime) -> RateDecision:
        try:
            return self._take_stored(key, take)
        except (DatabaseBusyError, ClientError) as error:
            self._skip_calls_until = now + PAUSE
            self._warn(error)
            return take.without_store()

    def _warn(self, error: Exception) -> None:
        # The metric filter of LimiterUnavailableAlarm in the template looks for this name.
        log.warning("rate_limit.unavailable: requests are not limited for %s", PAUSE, exc_info=error)

    def _take_stored(self, key: str, take: Take) -> RateDecision:
        if take.cost == 0:
            # Nothing is taken, so a value that is slightly old is good enough, at half the price.
            item = self._table.get(key, consistent=False)
            return take.allowed(self._remember(key, int(item["full_at"]) if item else 0))
        # The second call corrects a wrong guess. A third is for a bucket that another instance changed in between.
        for _ in range(3):
            full_at = Path("full_at")
            if self._seen.get(key, 0) >= take.now:
                condition, action = full_at.between(take.now, take.latest), full_at.set(full_at + take.advance)
            else:
                condition, action = absent() | (full_at < take.now), full_at.set(take.now + take.advance)
            # Time to live only saves space: after `full_at`, an item means the same as none.
            expires = Path("expires").set((take.latest + take.window) // 1_000_000 + 60)
            try:
                updated = self._table.update(key, None, [action, expires], condition)
                return take.allowed(self._remember(key, int(updated["full_at"])))
            except ConditionFailedError as error:
                stored = self._remember(key, int(error.item["full_at"]) if error.item else 0)
            if take.refuses(stored):
                return take.denied(stored)
        return take.without_store()

    def _remember(self, key: str, full_at: int) -> int:
        if len(self._seen) >= MAX_REMEMBERED:
            # To forget a value is harmless: the next request of the bucket makes a call that could have been saved.
            self._seen.clear()
        self._seen[key] = max(full_at, self._seen.get(key, 0))
        return full_at
