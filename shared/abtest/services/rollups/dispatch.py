"""Dispatch of roll-ups: new events are entered into the feed, and each shop that is due becomes a message.

Nothing here depends on the number of events, and little on the number of shops: a shop costs an entry of the work
index, an item of progress, and a message when it is due. A message that is lost, late or repeated changes nothing but
when a shop is counted: the next run sends another as long as the shop is behind.
"""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from abtest.domain.ledger.dispatching import READ_MS, Backlog, Counted, Interest, day_shift_of, is_due
from abtest.domain.ledger.feed import FeedEntry
from abtest.kit.clock import from_milliseconds, parse_milliseconds, timestamp, to_milliseconds
from abtest.ports.limits import Leases
from abtest.ports.metrics import Metrics
from abtest.ports.queue import Queue, QueueMessage
from abtest.ports.rollup_store import RollupStore, ShopProgress
from abtest.services.context import World
from abtest.services.leases import LeaseLostError, lease
from abtest.services.ledger_feed import LedgerFeed
from abtest.services.rollups.backlogs import Backlogs
from abtest.services.rollups.messages import CountMessage
from abtest.services.rollups.overdue import Overdue
from abtest.services.rollups.reach import Listing, ShopReaches
from abtest.services.rollups.work import counted_shops, forget_ended

_log = logging.getLogger(__name__)

LEASE = "rollup#dispatch"

MESSAGES_AT_ONCE = 500
"""Messages between two looks at the clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatched:
    """Outcome of a run, in shops: `sent` are counted now, `waiting` have uncounted rows and are not due yet.

    `left`: due shops for which there was no time. `oldest_seconds`: how long the oldest uncounted row has been waiting,
    `overdue_seconds`: for how long this process has seen a shop due, at most, that is not counted. `unread`: raw
    objects that the feed cannot read, whose rows are therefore not counted.
    """

    sent: int = 0
    waiting: int = 0
    left: int = 0
    oldest_seconds: float = 0.0
    unread: int = 0
    overdue_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatch:
    """Use case behind the roll-up schedule."""

    world: World
    feed: LedgerFeed
    backlogs: Backlogs
    store: RollupStore
    queue: Queue
    reaches: ShopReaches
    leases: Leases
    metrics: Metrics
    _overdue: Overdue = field(default_factory=Overdue, init=False)

    def run(self, *, until: datetime | None = None, everything: bool = False) -> Dispatched | None:
        """Send a message for each shop that is due, none after `until`; None while another run works.

        With `everything`, all shops with uncounted rows or changed plans are due.
        """
        owner = self.world.new_id()
        try:
            with lease(self.leases, LEASE, owner=owner, clock=self.world.clock) as held:
                if held is None:
                    return None
                forget_ended(self.world)
                advanced = self.feed.advance()
                held.check()
                done = self._send(advanced.entry, advanced.listed_at, until, everything=everything)
        except LeaseLostError:
            return None
        self.metrics.put(
            {
                "ShopsSent": done.sent,
                "ShopsWaiting": done.waiting,
                "ShopsLeft": done.left,
                "OldestWaitingSeconds": done.oldest_seconds,
                "UnreadObjects": done.unread,
                "OverdueSeconds": done.overdue_seconds,
            }
        )
        return done

    def _send(self, entry: FeedEntry | None, listed_at: int, until: datetime | None, *, everything: bool) -> Dispatched:
        heads, now = entry.heads if entry else {}, to_milliseconds(self.world.clock.now())
        progress = {each.shop_id: each for each in self.store.progress_of_shops()}
        offsets = {shop_id: each.offset for shop_id, each in progress.items()}
        backlogs = self.backlogs.of(entry, offsets)
        due = self._due(heads.keys(), progress, backlogs, now, everything=everything)
        failed = [shop_id for shop_id in backlogs if shop_id in progress and progress[shop_id].failed]
        overdue = self._overdue.longest({shop_id: offsets.get(shop_id, 0) for shop_id in (*due, *failed)}, now)
        messages = [
            QueueMessage(
                body=CountMessage(shop_id=shop_id, head=heads.get(shop_id, 0), listed_at=listed_at).encoded(),
                group=shop_id,
            )
            for shop_id in due
        ]
        sent = 0
        for start in range(0, len(messages), MESSAGES_AT_ONCE):
            if until is not None and self.world.clock.now() >= until:
                break
            self.queue.send_many(messages[start : start + MESSAGES_AT_ONCE])
            sent = min(start + MESSAGES_AT_ONCE, len(messages))
        # Last: until then a shop reaches as far as its own progress.
        self.reaches.put(Listing(listed_at=listed_at, heads=heads))
        oldest = min((backlog.oldest for backlog in backlogs.values()), default=now)
        return Dispatched(
            sent=sent,
            waiting=len(backlogs.keys() - set(due)),
            left=len(messages) - sent,
            oldest_seconds=max(0, now - oldest) / 1000,
            unread=len(entry.unread) if entry else 0,
            overdue_seconds=overdue / 1000,
        )

    def _due(
        self,
        seen: Iterable[str],
        progress: Mapping[str, ShopProgress],
        backlogs: Mapping[str, Backlog],
        now: int,
        *,
        everything: bool,
    ) -> list[str]:
        """Return the shops that are due, with those first whose rows wait longest."""
        plans = counted_shops(self.world)
        read = self.store.shops_read(timestamp(from_milliseconds(now - READ_MS)))
        due = []
        for shop_id in sorted({*seen, *plans}, key=lambda name: _oldest_first(backlogs, name)):
            state, digest = counted_of(progress.get(shop_id)), plans.get(shop_id, "")
            read_at = parse_milliseconds(read[shop_id]) if shop_id in read else None
            interest = Interest(read_at=read_at, day_shift=day_shift_of(shop_id))
            is_behind = shop_id in backlogs or (state is not None and state.plans != digest)
            if is_due(state, backlogs.get(shop_id), digest, now, interest) or (everything and is_behind):
                due.append(shop_id)
        return due


def counted_of(progress: ShopProgress | None) -> Counted | None:
    """Return the state of a counted shop, None before its first count."""
    if progress is None:
        return None
    return Counted(
        at=parse_milliseconds(progress.counted_at),
        plans=progress.plans,
        plans_since=parse_milliseconds(progress.plans_since or progress.counted_at),
        held=progress.held,
        has_failed=bool(progress.failed),
    )


def _oldest_first(backlogs: Mapping[str, Backlog], shop_id: str) -> tuple[float, str]:
    backlog = backlogs.get(shop_id)
    return (backlog.oldest if backlog else float("inf"), shop_id)
