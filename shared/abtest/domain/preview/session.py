"""Preview session: a grant to see pages of a shop for a while. Its state, which requests change, is in `progress`."""

from collections.abc import Collection
from dataclasses import dataclass

from abtest.domain.credentials.preview import Audience
from abtest.domain.preview.addresses import PreviewSite, WebAddress
from abtest.kit.clock import Timestamp
from abtest.kit.documents import Document

REQUESTS_PER_WINDOW, WINDOW_SECONDS = 600, 60
"""Requests that a session may make in so many seconds."""

SESSION_PLACE = "{session}"
"""Place of the session's id in the base address of previews, which gives each session an origin of its own."""

FIRST_STATE: Document = {}
"""Stored state of a session that has shown nothing yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewSession:
    """Session as it was opened. `hosts` are exact, with the port unless it is the usual one.

    Of the proxy, `variation_id` is shown first, and `variation_ids` are those that can be shown: none without an
    experiment. On the shop's own pages, `variation_id` is the variation, experience or value that the link is for.
    """

    id: str
    shop_id: str
    url: str
    hosts: tuple[str, ...]
    audience: Audience = "preview"
    experiment_id: str | None = None
    personalization_id: str | None = None
    flag_id: str | None = None
    variation_id: str | None = None
    variation_ids: tuple[str, ...] = ()
    version: int | None = None
    created_by: str
    expires_at: Timestamp


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


def written_page_url(site: PreviewSite) -> str:
    """Return the address of a landing page while it is written."""
    return f"{site.base}/api/preview/page?pst={site.token}"


def snippet_key(session_id: str, variation_id: str) -> str:
    """Return the key of a variation's snippet in the delivery bucket."""
    return f"previews/{session_id}/{variation_id}.js"


def file_key(session_id: str, name: str) -> str:
    """Return the key of a file of a session's snippets in the delivery bucket."""
    return f"previews/{session_id}/files/{name}"


def draft_key(session_id: str) -> str:
    """Return the key of the compiled draft that a session shows on the shop's own pages."""
    return f"previews/{session_id}/draft.json"


def allowed_hosts(url: WebAddress, claimed: Collection[str], most: int) -> tuple[str, ...]:
    """Return the hosts of a session that begins at `url`: its own first, then others that the shop has claimed."""
    return tuple(dict.fromkeys((url.host, *claimed)))[:most]
