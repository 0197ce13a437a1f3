"""A worker that takes other messages while a receiver keeps it waiting."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from abtest.ports.queue import QueueUnavailableError, ReceivedMessage
from abtest.services.webhooks import meanwhile
from abtest.services.webhooks.meanwhile import AT_A_TIME, Meanwhile

OWN, PATIENCE = "own", 10.0


class Source:
    """A queue with these messages; `emptied` is set at the first call that finds none."""

    def __init__(self, *bodies: str) -> None:
        self.bodies = list(bodies)
        self.deleted: list[str] = []
        self.waits: list[int] = []
        self.emptied = threading.Event()
        self.is_available = True

    def receive(self, *, wait_seconds: int) -> ReceivedMessage | None:
        self.waits.append(wait_seconds)
        if not self.is_available:
            self.emptied.set()
            raise QueueUnavailableError("switched off")
        if not self.bodies:
            self.emptied.set()
            return None
        body = self.bodies.pop(0)
        return ReceivedMessage(body=body, receipt=f"receipt of {body}")

    def delete(self, message: ReceivedMessage) -> None:
        assert message.receipt == f"receipt of {message.body}"
        self.deleted.append(message.body)


class NoChance:
    """Randomness that always gives the lowest value."""

    def bits(self, count: int) -> int:
        return 0


class Work:
    """Bodies that were carried out; the own message lasts until `ends`, and others do what they are set to do."""

    def __init__(self, ends: threading.Event, other: Callable[[str], object] = lambda _: None) -> None:
        self.done: list[str] = []
        self._ends = ends
        self._other = other

    def __call__(self, body: str) -> None:
        if body == OWN:
            assert self._ends.wait(PATIENCE)
        else:
            self._other(body)
        self.done.append(body)


def worker(work: Callable[[str], object], source: Source, clock: Callable[[], float] = lambda: 0.0) -> Meanwhile:
    return Meanwhile(work=work, queue=source, random=NoChance(), clock=clock)


def test_message__that_is_quick__takes_no_other() -> None:
    source, done = Source("other"), list[str]()
    worker(done.append, source).carry_out(OWN)
    assert (done, source.waits) == ([OWN], [])


def test_message__whose_receiver_hangs__lets_others_be_carried_out_and_removed() -> None:
    source = Source("one", "two", "three")
    work = Work(source.emptied)
    worker(work, source).carry_out(OWN)
    assert sorted(work.done[:-1]) == ["one", "three", "two"]
    assert work.done[-1] == OWN
    assert sorted(source.deleted) == ["one", "three", "two"]
    assert set(source.waits) == {0}


def test_message__that_takes_long__lets_its_worker_wait_at_the_queue() -> None:
    source = Source()
    times = iter([0.0])
    worker(Work(source.emptied), source, lambda: next(times, 1.0)).carry_out(OWN)
    assert set(source.waits) == {1}


def test_messages__that_all_hang__are_limited_to_the_places_of_a_worker() -> None:
    source = Source(*(str(number) for number in range(2 * AT_A_TIME)))
    running, most, lock, full = set[str](), list[int](), threading.Lock(), threading.Event()

    def hangs(body: str) -> None:
        with lock:
            running.add(body)
            most.append(len(running))
            if len(running) == AT_A_TIME - 1:
                full.set()
        assert full.wait(PATIENCE)
        with lock:
            running.remove(body)

    worker(Work(source.emptied, hangs), source).carry_out(OWN)
    assert max(most) == AT_A_TIME - 1
    assert len(source.deleted) == 2 * AT_A_TIME


def test_worker__that_has_taken_messages_for_long_enough__takes_no_more() -> None:
    source, ends = Source("one", "two"), threading.Event()
    times = iter([0.0, 1.0, 1.0])

    def clock() -> float:
        now = next(times, meanwhile.TAKES_SECONDS[0])
        if now == meanwhile.TAKES_SECONDS[0]:
            ends.set()
        return now

    worker(Work(ends), source, clock).carry_out(OWN)
    assert (source.deleted, source.bodies) == (["one"], ["two"])


def test_message__that_fails__fails_after_the_others_have_ended() -> None:
    source = Source("one")

    def work(body: str) -> None:
        if body == OWN:
            assert source.emptied.wait(PATIENCE)
            raise KeyError(OWN)

    with pytest.raises(KeyError, match=OWN):
        worker(work, source).carry_out(OWN)
    assert source.deleted == ["one"]


def test_other_message__that_fails__stays_in_the_queue_and_harms_no_other() -> None:
    source = Source("bad", "good")

    def other(body: str) -> None:
        if body == "bad":
            raise KeyError(body)

    work = Work(source.emptied, other)
    worker(work, source).carry_out(OWN)
    assert source.deleted == ["good"]
    assert OWN in work.done


def test_queue__that_does_not_respond__leaves_the_own_message_its_worker() -> None:
    source = Source("one")
    source.is_available = False
    work = Work(source.emptied)
    worker(work, source).carry_out(OWN)
    assert (work.done, source.bodies) == ([OWN], ["one"])
