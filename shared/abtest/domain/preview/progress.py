"""Progress of a preview session: its cookies, its page, what it shows, and what it did not load."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from abtest.domain.preview.jar import Jar

MAX_BLOCKED = 20
"""Blocked addresses that are kept for the state of a session, the newest ones."""

MAX_KEPT_URL = 2048


@dataclass(frozen=True, slots=True)
class Blocked:
    """Address that the preview did not load, and the reason in words."""

    url: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """State of a session. `page_url` and `page_status` are those of the last document; `has_begun` once there is one.

    `variation_id` is what the shopper of the preview chose to see; None is the first one of the session.
    """

    jar: Jar = field(default_factory=Jar)
    variation_id: str | None = None
    page_url: str | None = None
    page_status: int | None = None
    has_begun: bool = False
    blocked: tuple[Blocked, ...] = ()


def with_answer(
    state: SessionState, url: str, cookies: Sequence[str], now: datetime, document_status: int | None
) -> SessionState:
    """Return the state after an answer of the shop; `document_status` is None unless it is a document."""
    after = replace(state, jar=state.jar.stored(url, cookies, now))
    if document_status is None:
        return after
    return replace(after, page_url=url[:MAX_KEPT_URL], page_status=document_status, has_begun=True)


def with_blocked(state: SessionState, url: str, reason: str) -> SessionState:
    """Return the state after an address was blocked; an address is listed once, with its last reason."""
    kept = [each for each in state.blocked if each.url != url[:MAX_KEPT_URL]]
    return replace(state, blocked=(*kept, Blocked(url[:MAX_KEPT_URL], reason))[-MAX_BLOCKED:])
