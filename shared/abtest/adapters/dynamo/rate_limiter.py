"""Rate limits in DynamoDB: token buckets shared by all instances, at one write a request."""

import logging
from datetime import datetime, timedelta

from botocore.exceptions import ClientError
from pynamodb.expressions.operand import Path

from abtest.adapters import token_bucket
from abtest.adapters.dynamo.ephemeral import ephemeral_table, hashed_key
from abtest.adapters.dynamo.table import ConditionFailedError, absent
from abtest.adapters.token_bucket import Take
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.limits import RateDecision

MAX_REMEMBERED = 10_000
SILENCE = timedelta(seconds=5)
"""How long requests pass unasked after the table did not answer: waiting for it each time would stop the service."""

log = logging.getLogger(__name__)


class DynamoRateLimiter:
    """One item a bucket: `full_at`, the microsecond at which it will be full again (see adapters/token_bucket.py).

    Taking is `full_at = max(full_at, now) + advance`, and an update expression has no max. It has two forms, and the
    item's condition tells which one holds:

                        now                     latest       now + window
        ---- idle -------|-------- in use --------|---- empty ----|
          set now + advance     add advance           refuse

    `full_at` only ever rises, so what this process saw last is a lower bound of what stands there. If that is later
    than `latest` the request is refused without a call, which is what a flood costs; if it is later than `now` the
    bucket is in use; otherwise it is most likely idle. A wrong guess (another instance used the bucket meanwhile)
    brings back the item, and the second call is right.
    """

    def __init__(self, table_name: str) -> None:
        self._table = ephemeral_table(table_name)
        self._seen: dict[str, int] = {}
        self._silent_until: datetime | None = None

    def take(self, bucket: str, *, limit: int, window_seconds: int, now: datetime, cost: int = 1) -> RateDecision:
        take = token_bucket.attempt(limit=limit, window_seconds=window_seconds, cost=cost, now=now)
        key = hashed_key("RATE", bucket)
        seen = self._seen.get(key, 0)
        if take.refuses(seen):
            return take.denied(seen)
        if take.cost == 0 and take.is_empty(seen):
            return take.allowed(seen)
        if self._silent_until and now < self._silent_until:
            return take.unasked()
        try:
            return self._ask(key, take)
        except (DatabaseBusyError, ClientError) as error:
            self._silent_until = now + SILENCE
            log.warning("rate_limit.unavailable: requests pass for %s", SILENCE, exc_info=error)
            return take.unasked()

    def _ask(self, key: str, take: Take) -> RateDecision:
        if take.cost == 0:
            item = self._table.get(key, consistent=False)
            return take.allowed(self._remember(key, int(item["full_at"]) if item else 0))
        for _ in range(3):
            full_at = Path("full_at")
            if self._seen.get(key, 0) >= take.now:
                condition, action = full_at.between(take.now, take.latest), full_at.set(full_at + take.advance)
            else:
                condition, action = absent() | (full_at < take.now), full_at.set(take.now + take.advance)
            # Time to live only tidies up: an item that lingers after `full_at` means the same as none.
            expires = Path("expires").set((take.latest + take.window) // 1_000_000 + 60)
            try:
                updated = self._table.update(key, None, [action, expires], condition)
                return take.allowed(self._remember(key, int(updated["full_at"])))
            except ConditionFailedError as found:
                stored = self._remember(key, int(found.item["full_at"]) if found.item else 0)
            if take.refuses(stored):
                return take.denied(stored)
        return take.unasked()

    def _remember(self, key: str, full_at: int) -> int:
        if len(self._seen) >= MAX_REMEMBERED:
            self._seen.clear()
        self._seen[key] = max(full_at, self._seen.get(key, 0))
        return full_at
