"""Sessions of the preview proxy as requests name them: by a signed token whose session has not been revoked."""

from collections.abc import Callable
from dataclasses import dataclass

from abtest.domain.credentials.preview import (
    Audience,
    ExpiredPreviewTokenError,
    InvalidPreviewTokenError,
    read_token,
)
from abtest.domain.credentials.signing import RootKeys
from abtest.domain.install.tags import snippet_url as shop_snippet
from abtest.domain.preview.addresses import PreviewSite
from abtest.domain.preview.progress import SessionState
from abtest.domain.preview.session import (
    REQUESTS_PER_WINDOW,
    WINDOW_SECONDS,
    PreviewSession,
    base_of,
    snippet_url,
    state_id,
)
from abtest.edge.preview_errors import PreviewTokenExpiredError, PreviewTokenInvalidError, PreviewTokenMissingError
from abtest.kit.clock import Clock, parse_timestamp
from abtest.kit.documents import decode, encode
from abtest.kit.errors import ServiceError
from abtest.ports.limits import RateLimiter, Sessions
from abtest.services.rate_limits import take_token

_TRIES = 8
"""Attempts to store a change of a state that other responses change at the same time."""


@dataclass(frozen=True, slots=True)
class OpenSession:
    """Session of a request, and the site that its pages see."""

    session: PreviewSession
    site: PreviewSite


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSessions:
    """Reader of sessions. `base` is the address of the proxy, `worker_base_url` that of the shops' own snippets."""

    roots: Callable[[], RootKeys]
    sessions: Sessions
    limiter: RateLimiter
    clock: Clock
    base: str
    worker_base_url: str
    bridge: str

    def of(self, token: str | None, audience: Audience = "preview") -> OpenSession:
        """Return the session of a token for this audience, and count a request of it.

        Raises PreviewTokenMissingError, PreviewTokenInvalidError, PreviewTokenExpiredError, RateLimitedError.
        """
        if not token:
            raise PreviewTokenMissingError
        now = self.clock.now()
        try:
            grant = read_token(self.roots(), token, int(now.timestamp()), audience=audience)
        except ExpiredPreviewTokenError as error:
            raise PreviewTokenExpiredError from error
        except InvalidPreviewTokenError as error:
            raise PreviewTokenInvalidError from error
        document = self.sessions.get(grant.session_id, now=now)
        if document is None:
            raise PreviewTokenInvalidError
        self._count(grant.session_id)
        session = decode(PreviewSession, document)
        return OpenSession(session, self._site(session, token))

    def state(self, session: PreviewSession) -> SessionState:
        """Return the state of a session. Raises PreviewTokenInvalidError when the session was revoked meanwhile."""
        document = self.sessions.get(state_id(session.id), now=self.clock.now())
        if document is None:
            raise PreviewTokenInvalidError
        return decode(SessionState, document)

    def change(self, session: PreviewSession, decide: Callable[[SessionState], SessionState]) -> SessionState:
        """Store the state after a change, which is made again on what another response has stored meanwhile.

        Raises PreviewTokenInvalidError.
        """
        expires = parse_timestamp(session.expires_at)
        for _ in range(_TRIES):
            document = self.sessions.get(state_id(session.id), now=self.clock.now())
            if document is None:
                raise PreviewTokenInvalidError
            before = decode(SessionState, document)
            after = decide(before)
            if after == before or self.sessions.replace(
                state_id(session.id), encode(after), before=document, expires_at=expires
            ):
                return after
        raise PreviewBusyError

    def _site(self, session: PreviewSession, token: str) -> PreviewSite:
        base = base_of(self.base, session.id)
        site = PreviewSite(base=base, token=token, hosts=frozenset(session.hosts))
        return PreviewSite(
            base=base,
            token=token,
            hosts=site.hosts,
            snippet_url=snippet_url(site),
            shop_snippets=(shop_snippet(self.worker_base_url, session.shop_id),),
            bridge=self.bridge,
        )

    def _count(self, session_id: str) -> None:
        take_token(
            self.limiter,
            self.clock,
            f"preview#{session_id}",
            "requests of this preview",
            limit=REQUESTS_PER_WINDOW,
            window_seconds=WINDOW_SECONDS,
            per="a minute",
        )


class PreviewBusyError(ServiceError):
    """Too many responses of one session at once."""

    status = 503
    code = "service_unavailable"

    def __init__(self) -> None:
        super().__init__("too many responses of this preview at once; reload the page", headers={"Retry-After": "1"})
