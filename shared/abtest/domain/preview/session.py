"""Preview session: a grant to see pages of a shop for a while, and its state, which requests change."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from abtest.domain.preview.addresses import PreviewSite, WebAddress
from abtest.domain.preview.jar import Jar
from abtest.kit.clock import Timestamp

REQUESTS_PER_WINDOW, WINDOW_SECONDS = 600, 60
"""Requests that a session may make in so many seconds."""

MAX_BLOCKED = 20
"""Blocked addresses that are kept for the state of a session, the newest ones."""

MAX_KEPT_URL = 2048
SESSION_PLACE = "{session}"
"""Place of the session's id in the base address of previews, which gives each session an origin of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewSession:
    """Session as it was opened. `hosts` are exact, with the port unless it is the usual one.

    `variation_ids` are those that can be shown: none without an experiment.
    """

    id: str
    shop_id: str
    url: str
    hosts: tuple[str, ...]
    experiment_id: str | None = None
    variation_id: str | None = None
    variation_ids: tuple[str, ...] = ()
    created_by: str
    expires_at: Timestamp


@dataclass(frozen=True, slots=True)
class Blocked:
    """Address that the preview did not load, and the reason in words."""

    url: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionState:
    """State of a session. `page_url` and `page_status` are those of the last document; `has_begun` once there is one.

    `variation_id` is what the shopper of the preview sees now.
    """

    jar: Jar = field(default_factory=Jar)
    variation_id: str | None = None
    page_url: str | None = None
    page_status: int | None = None
    has_begun: bool = False
    blocked: tuple[Blocked, ...] = ()


def state_id(session_id: str) -> str:
    """Return the id under which the state of a session is stored."""
    return f"{session_id}#state"


def base_of(base: str, session_id: str) -> str:
    """Return the origin of a session: each has one of its own if the base has a place for its id."""
    return base.rstrip("/").replace(SESSION_PLACE, session_id)


def files_url(site: PreviewSite) -> str:
    """Return the address below which the files of a session's snippets are."""
    return f"{site.base}/api/preview/f/{site.token}/"


def snippet_url(site: PreviewSite) -> str:
    """Return the address of the snippet that a session's pages load."""
    return f"{site.base}/api/preview/snippet?pst={site.token}"


def snippet_key(session_id: str, variation_id: str) -> str:
    """Return the key of a variation's snippet in the delivery bucket."""
    return f"previews/{session_id}/{variation_id}.js"


def file_key(session_id: str, name: str) -> str:
    """Return the key of a file of a session's snippets in the delivery bucket."""
    return f"previews/{session_id}/files/{name}"


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


def allowed_hosts(url: WebAddress, claimed: Collection[str], most: int) -> tuple[str, ...]:
    """Return the hosts of a session that begins at `url`: its own first, then others that the shop has claimed."""
    return tuple(dict.fromkeys((url.host, *claimed)))[:most]
