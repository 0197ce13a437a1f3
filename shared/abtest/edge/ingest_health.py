"""Health of the edge."""

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

from abtest.edge.gateway import NO_STORE, Answer, GatewayEvent, MethodNotAllowedError, Request, json_error
from abtest.kit import canonical_json
from abtest.kit.clock import Clock, timestamp
from abtest.ports import waits
from abtest.ports.limits import Sessions
from abtest.ports.queue import Queue

METHODS = "GET, HEAD"
SERVICE = "abtest-edge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Probes of the stores of ingest and limits. `queue` is None when events are forwarded instead of queued."""

    environment: str
    release: str
    queue_name: str
    queue: Queue | None
    dead_letters: Queue
    limits_store: Sessions
    clock: Clock

    def answer(self, event: GatewayEvent, _context: Any = None) -> Answer:
        """`GET /health`."""
        request = Request.of(event)
        if request.method not in METHODS.split(", "):
            return json_error(MethodNotAllowedError(METHODS), {})
        report = self.report()
        headers = {**NO_STORE, "Content-Type": "application/json"}
        # HEAD gets the body too: the gateway takes Content-Length from it and sends no body.
        return {"statusCode": 200 if report["ok"] else 503, "headers": headers, "body": canonical_json.dumps(report)}

    def report(self) -> Mapping[str, Any]:
        """Return the contract's health body. `ok` needs every part, and no dead letters, because results miss those."""
        probes = {
            # The item does not exist: a read that returns without an error shows that the store answers.
            "limits": lambda: self.limits_store.get("health", now=self.clock.now()) or True,
            "queue": lambda: self.queue is None or self.queue.depth() >= 0,
            "dead_letters": lambda: self.dead_letters.depth() == 0,
        }
        healthy = probe_results(probes)
        return {
            "ok": all(healthy.values()),
            "service": SERVICE,
            "environment": self.environment,
            "release": self.release or None,
            "queue_enabled": self.queue is not None,
            "queue_name": self.queue_name,
            "distributed_rate_limits": {"events_per_shop": healthy["limits"], "snippet_per_ip": healthy["limits"]},
            "dead_letter_queue": {"ok": healthy["dead_letters"]},
            "checked_at": timestamp(self.clock.now()),
        }


def probe_results(probes: Mapping[str, Callable[[], object]]) -> Mapping[str, bool]:
    """Return the result of each probe; all run at once, because three silent stores must not outlast the function."""
    pool = ThreadPoolExecutor(len(probes))
    running = {name: pool.submit(probe) for name, probe in probes.items()}
    wait(running.values(), timeout=waits.EDGE.probes)
    # Not a `with` block, which would wait for a probe that hangs.
    pool.shutdown(wait=False, cancel_futures=True)
    # Refused, throttled, gone and silent are all the same to a health check.
    return {name: each.done() and each.exception() is None and bool(each.result()) for name, each in running.items()}
