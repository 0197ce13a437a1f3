"""Visits of a store's addresses: each hop is checked, robots.txt is obeyed, and no host is hurried."""

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from abtest.domain.egress.targets import EgressRules, Target, UrlNotAllowedError, joined
from abtest.domain.profiles.page import Answer
from abtest.domain.profiles.robots import Robots, robots_of
from abtest.domain.profiles.visit import Trouble
from abtest.kit.clock import Timestamp
from abtest.ports.http_sender import HttpAnswer, HttpSender, HttpUnreachableError

MAX_REDIRECTS = 5
PAGE_SECONDS = 10.0
"""Seconds of one request, and of all requests of a page before its next redirect is not followed."""

SECONDS_BETWEEN = 1.0
"""Seconds from one request to the next one of the same host. This machine needs no rest."""

_REDIRECTS = frozenset({301, 302, 303, 307, 308})


class UnreadError(Exception):
    """Address that was not read; the message is a sentence without its period."""

    def __init__(self, trouble: Trouble, reason: str) -> None:
        super().__init__(reason)
        self.trouble: Trouble = trouble


class Pace:
    """Turns of requests: one a second for each host, whichever thread sends it."""

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, wait: Callable[[float], object] = time.sleep
    ) -> None:
        self._clock = clock
        self._wait = wait
        self._lock = threading.Lock()
        self._next: dict[str, float] = {}

    def take_turn(self, target: Target, delay: float = 0.0) -> None:
        """Wait until a host may be called; `delay` is what its robots.txt asks for."""
        if target.is_local:
            return
        with self._lock:
            now = self._clock()
            turn = max(now, self._next.get(target.endpoint, now))
            self._next[target.endpoint] = turn + max(SECONDS_BETWEEN, delay)
        if turn > now:
            self._wait(turn - now)


@dataclass(slots=True, kw_only=True)
class Visitor:
    """Client of one run, used by two threads. `hosts` are those of the shop, and their subdomains.

    `local` is the host and port of a store on this machine; no other port of this machine is called. No request begins
    after `until`, a time of `clock`.
    """

    sender: HttpSender
    rules: EgressRules
    hosts: frozenset[str]
    headers: Mapping[str, str]
    now: Callable[[], Timestamp]
    local: str = ""
    pace: Pace = field(default_factory=Pace)
    clock: Callable[[], float] = time.monotonic
    until: float = math.inf
    _robots: dict[str, Robots | None] = field(default_factory=dict)
    _asking: threading.Lock = field(default_factory=threading.Lock)

    def open(self, url: str) -> Answer:
        """Return the response for an address after its redirects. Raises UnreadError."""
        with _reasons():
            return self._follow(url, obeys=True)

    def robots(self, url: str) -> Robots | None:
        """Return the rules of an address's host; None where nothing may be requested. Raises UnreadError."""
        with _reasons():
            return self._robots_of(self._target(url))

    def _follow(self, url: str, *, obeys: bool) -> Answer:
        spent = 0.0
        for _ in range(MAX_REDIRECTS + 1):
            if spent > PAGE_SECONDS:
                raise UnreadError("unreachable", f"it still redirects after {PAGE_SECONDS:g} s")
            target = self._target(url)
            delay = self._permitted(target) if obeys else 0.0
            self.pace.take_turn(target, delay)
            began = self.clock()
            if began > self.until:
                raise UnreadError("too_late", "the run had no more time")
            answer = self.sender.get(url, headers=self.headers)
            # Without the wait for its turn, which is not the store's doing.
            spent += self.clock() - began
            location = answer.headers.get("location")
            if answer.status not in _REDIRECTS or not location:
                return self._answer(answer)
            url = joined(answer.url, location)
        raise UnreadError("unreachable", f"it redirects more than {MAX_REDIRECTS} times")

    def _target(self, url: str) -> Target:
        """Return the target of a hop. Raises UrlNotAllowedError, UnreadError."""
        target = self.rules.target(url)
        # The sender refuses it as well; here it is refused before any check lets this machine pass.
        if not target.is_name:
            self.rules.refuse(target, [target.host])
        # The shop owns these hosts; a redirect must not make us read, or call, those of others.
        if target.is_local and target.endpoint != self.local:
            raise UnreadError("refused", f"it leads to {target.endpoint}, which is not the store")
        if not (target.is_local or any(target.host == own or target.host.endswith(f".{own}") for own in self.hosts)):
            raise UnreadError("refused", f"it leads to {target.host}, which is not one of the shop's install domains")
        return target

    def _permitted(self, target: Target) -> float:
        """Return the delay that a host asks for. Raises UnreadError where its robots.txt forbids the address."""
        robots = self._robots_of(target)
        if robots is None:
            raise UnreadError(
                "disallowed", f"the robots.txt of {target.host} cannot be read, so nothing may be requested"
            )
        if not robots.allows(target.url):
            raise UnreadError("disallowed", f"the robots.txt of {target.host} forbids it")
        return robots.delay

    def _robots_of(self, target: Target) -> Robots | None:
        origin = f"{target.scheme}://{target.authority}"
        # One thread asks, and the other one waits for its answer: a host gets one request for its rules.
        with self._asking:
            if origin not in self._robots:
                self._robots[origin] = self._fetched(f"{origin}/robots.txt")
            return self._robots[origin]

    def _fetched(self, url: str) -> Robots | None:
        try:
            answer = self._follow(url, obeys=False)
        except (HttpUnreachableError, UrlNotAllowedError):
            return None
        except UnreadError as error:
            # Rules that no one requested are unknown, not unreadable.
            if error.trouble == "too_late":
                raise
            return None
        return robots_of(answer.status, answer.body)

    def _answer(self, answer: HttpAnswer) -> Answer:
        return Answer(
            url=answer.url,
            status=answer.status,
            content_type=answer.content_type,
            body=answer.body,
            is_whole=answer.is_whole,
            headers=tuple(answer.headers.items()),
            cookies=tuple(answer.cookies),
            fetched_at=self.now(),
        )


@contextmanager
def _reasons() -> Iterator[None]:
    """Raise the errors of a sender as UnreadError."""
    try:
        yield
    except UrlNotAllowedError as error:
        raise UnreadError("refused", error.message) from error
    except HttpUnreachableError as error:
        raise UnreadError("unreachable", str(error)) from error
