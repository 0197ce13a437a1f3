"""Rows of one shop, arranged once for all its plans and days: copies of an event, times, and what selects rows."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from abtest.domain.ledger.events import Row
from abtest.domain.ledger.rows import SenderTime, Signal, happened_at, precedence, sender_time, signal_of


class Event(NamedTuple):
    """A row that counts: the valid one of its copies, not of a QA visit. Times are by our clock and by its sender's."""

    row: Row
    at: int
    sent: SenderTime

    @property
    def in_time(self) -> tuple[int, str]:
        """Sort key for the order of events: by time, then by event id."""
        return self.at, self.row["event_id"]

    @property
    def in_senders_order(self) -> tuple[bool, int, str]:
        """Sort key for the first of several events, which no delay changes; corrected clocks are last."""
        return self.sent.clock.is_corrected, self.sent.ts, self.row["event_id"]


class ShopRows:
    """All rows of a shop, in any order and with any repeats.

    Which copy of an event is valid depends on the moment from which rows count (`since`, Unix ms): the first by
    `rows.PRECEDENCE` of those received at or after it. Copies are compared before mode and time are tested: else a
    second copy could count in place of a first that is refused.
    """

    def __init__(self, rows: Iterable[Row]) -> None:
        first: dict[str, Row] = {}
        others: defaultdict[str, list[Row]] = defaultdict(list)
        self._newest: int | None = None
        for row in rows:
            if self._newest is None or row["received_at"] > self._newest:
                self._newest = row["received_at"]
            # Copies are rare, so there are lists for them alone.
            if first.setdefault(row["event_id"], row) is not row:
                others[row["event_id"]].append(row)
        self._copies = [sorted([first.pop(event_id), *rest], key=precedence) for event_id, rest in others.items()]
        self._alone = [row for row in first.values() if not row["qa_mode"]]
        self._selected: dict[Signal, Sequence[Event]] = {}
        self._valid: dict[int, Mapping[Signal, Sequence[Event]]] = {}

    def newest(self, since: int) -> int | None:
        """Return when the newest row was received, if that was at or after `since`."""
        return self._newest if self._newest is not None and self._newest >= since else None

    def select(self, signals: Collection[Signal], since: int) -> list[Event]:
        """Return the events with one of the signals that were received and happened at or after `since`."""
        valid = self._valid_copies(since)
        events: list[Event] = []
        for signal in signals:
            events += [event for event in self._events(signal) if event.at >= since]
            events += valid.get(signal, ())
        return events

    def between(self, since: int, until: int) -> list[Event]:
        """Return all events that were received at or after `since`, and happened from then to `until` (excluded)."""
        events, moments = self._in_time
        within = events[bisect_left(moments, since) : bisect_left(moments, until)]
        for copies in self._valid_copies(since).values():
            within += [event for event in copies if event.at < until]
        return within

    def _events(self, signal: Signal) -> Sequence[Event]:
        events = self._selected.get(signal)
        if events is None:
            events = self._selected[signal] = [_event(row) for row in self._by_signal.get(signal, ())]
        return events

    def _valid_copies(self, since: int) -> Mapping[Signal, Sequence[Event]]:
        if since not in self._valid:
            valid: defaultdict[Signal, list[Event]] = defaultdict(list)
            for copies in self._copies:
                row = next((row for row in copies if row["received_at"] >= since), None)
                if row is not None and not row["qa_mode"] and happened_at(row) >= since:
                    valid[signal_of(row)].append(_event(row))
            self._valid[since] = valid
        return self._valid[since]

    @cached_property
    def _by_signal(self) -> Mapping[Signal, Sequence[Row]]:
        rows: defaultdict[Signal, list[Row]] = defaultdict(list)
        for row in self._alone:
            rows[signal_of(row)].append(row)
        return rows

    @cached_property
    def _in_time(self) -> tuple[list[Event], list[int]]:
        events = sorted((event for signal in self._by_signal for event in self._events(signal)), key=_moment)
        return events, [event.at for event in events]


def _event(row: Row) -> Event:
    return Event(row, happened_at(row), sender_time(row))


def _moment(event: Event) -> int:
    return event.at
