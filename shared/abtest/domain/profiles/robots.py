"""Rules of a robots.txt (RFC 9309) for our visits, read by protego, whose patterns take linear time."""

from collections.abc import Sequence
from itertools import islice

from protego import Protego

AGENT = "abtest-store-profile"
"""Product token of our visits, by which a robots.txt can address them."""

MAX_ROBOTS = 512 * 1024
"""Bytes of a robots.txt that are read; the RFC asks for at least 500 KiB."""

MAX_SITEMAPS = 10
MAX_DELAY = 10.0
"""Seconds between two requests that a robots.txt may ask for; a longer delay counts as this one."""


class Robots:
    """Rules of one host."""

    def __init__(self, text: str) -> None:
        self._rules = Protego.parse(text)

    def allows(self, url: str) -> bool:
        """Return whether our visits may request an address."""
        return self._rules.can_fetch(url, AGENT)

    @property
    def delay(self) -> float:
        """Return the seconds that must lie between two requests; 0 without such a rule."""
        delay = self._rules.crawl_delay(AGENT)
        return min(MAX_DELAY, max(0.0, delay or 0.0))

    @property
    def sitemaps(self) -> Sequence[str]:
        """Return the addresses of sitemaps, as they are written."""
        return list(dict.fromkeys(islice(self._rules.sitemaps, MAX_SITEMAPS)))


def robots_of(status: int, body: bytes) -> Robots | None:
    """Return the rules of an answer for /robots.txt; None where nothing may be requested.

    By the RFC, a file that does not exist (4xx) allows everything, and a server that fails (5xx) nothing.
    """
    if 200 <= status < 300:
        # A line that the limit cuts could allow more, or less, than the whole one.
        kept = body if len(body) <= MAX_ROBOTS else body[:MAX_ROBOTS].rpartition(b"\n")[0]
        return Robots(kept.decode("utf-8", "replace").removeprefix("\ufeff"))
    return Robots("") if 400 <= status < 500 and status != 429 else None
