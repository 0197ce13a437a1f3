"""Health of the edge, and the answer to every address that is no route."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from abtest.edge.gateway import NO_STORE, Answer, GatewayEvent, MethodNotAllowedError, Request, json_error
from abtest.kit import canonical_json
from abtest.kit.clock import Clock, timestamp
from abtest.kit.errors import NotFoundError
from abtest.ports.limits import Sessions
from abtest.ports.queue import Queue, QueueUnavailableError

PATH = "/health"
METHODS = "GET, HEAD"
SERVICE = "abtest-edge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Looks at what ingest and limits lean on. `queue` is None when events are forwarded instead of queued."""

    environment: str
    release: str
    queue_name: str
    queue: Queue | None
    dead_letters: Queue
    limits_store: Sessions
    clock: Clock

    def answer(self, event: GatewayEvent, _context: Any = None) -> Answer:
        """`GET /health`; 404 for any other address of the edge."""
        request = Request.of(event)
        if event.get("rawPath") != PATH:
            return json_error(NotFoundError("there is nothing at this address"), {})
        if request.method not in METHODS.split(", "):
            return json_error(MethodNotAllowedError(METHODS), {})
        report = self.report()
        body = "" if request.method == "HEAD" else canonical_json.dumps(report)
        headers = {**NO_STORE, "Content-Type": "application/json"}
        return {"statusCode": 200 if report["ok"] else 503, "headers": headers, "body": body}

    def report(self) -> Mapping[str, Any]:
        """The contract's health body. `ok` means that every part is: waiting dead letters are lost to results."""
        has_limits = _works(lambda: self.limits_store.get("health", now=self.clock.now()))
        has_queue = self.queue is None or _works(self.queue.depth)
        has_no_dead_letters = self._dead_letters_waiting() == 0
        return {
            "ok": has_limits and has_queue and has_no_dead_letters,
            "service": SERVICE,
            "environment": self.environment,
            "release": self.release or None,
            "queue_enabled": self.queue is not None,
            "queue_name": self.queue_name,
            "distributed_rate_limits": {"events_per_shop": has_limits, "snippet_per_ip": has_limits},
            "dead_letter_queue": {"ok": has_no_dead_letters},
            "checked_at": timestamp(self.clock.now()),
        }

    def _dead_letters_waiting(self) -> int | None:
        try:
            return self.dead_letters.depth()
        except QueueUnavailableError:
            return None


def _works(probe: Callable[[], object]) -> bool:
    try:
        probe()
    except Exception:
        # Refused, throttled, gone, silent: for a health check they are one.
        return False
    return True
