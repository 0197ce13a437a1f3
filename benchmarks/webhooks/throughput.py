"""Deliveries a second: ours with every guarantee, and a loop of requests.post that signs alike and forgets."""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime

import requests

from abtest.domain.webhooks import envelope
from abtest.kit.clock import timestamp
from abtest.kit.ids import SystemRandomness, uuid7
from benchmarks.webhooks.receiver import arrivals
from benchmarks.webhooks.world import EVENT, PAYLOAD, SECRET, Webhooks


@dataclass(frozen=True)
class Pace:
    """Deliveries a second by the clock on the wall, and seconds of this process's CPU for each."""

    rate: float
    cpu: float


def ours(base: str, count: int) -> Pace:
    """Of a worker that drains so many deliveries of one endpoint."""
    webhooks = Webhooks()
    webhook = webhooks.endpoint(f"{base}/ok")
    for _ in range(count):
        webhooks.answering.fan_out.deliver(webhooks.event(webhook))
    return _paced(base, count, lambda: webhooks.answering.drain.run(webhook.shop_id, webhook.id))


def plain(base: str, threads: int, count: int) -> Pace:
    """Of the loop, in so many threads that share one session."""
    each = count // threads
    with requests.Session() as session, ThreadPoolExecutor(threads) as pool:
        shares = [range(each)] * threads
        return _paced(base, each * threads, lambda: list(pool.map(lambda share: _posted(session, base, share), shares)))


def _paced(base: str, count: int, call: Callable[[], object]) -> Pace:
    begun, cpu = time.perf_counter(), time.process_time()
    call()
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    came = len(arrivals(base))
    if came != count:
        raise AssertionError(f"{came} of {count} deliveries arrived")
    return Pace(count / seconds, cpu / count)


def _posted(session: requests.Session, base: str, share: Iterable[int]) -> None:
    random = SystemRandomness()
    for _ in share:
        now = datetime.now(UTC)
        name = uuid7(now, random)
        body = envelope.serialized(PAYLOAD, event=EVENT, delivery_id=name, timestamp=timestamp(now))
        headers = envelope.headers(body, event=EVENT, delivery_id=name, at=int(now.timestamp()), secrets=[SECRET])
        session.post(f"{base}/ok", data=body, headers=headers, timeout=10).raise_for_status()
