"""Preview sessions: pages of a shop shown through the preview proxy, for a while and revocably."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from abtest.domain.credentials.preview import MAX_HOSTS, PreviewGrant, make_token
from abtest.domain.credentials.signing import RootKeys
from abtest.domain.egress.targets import EgressRules, UrlNotAllowedError
from abtest.domain.experiments.design import in_use
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.variations import find
from abtest.domain.preview.addresses import PreviewSite, absolute, proxied
from abtest.domain.preview.session import (
    FIRST_STATE,
    PreviewSession,
    allowed_hosts,
    base_of,
    file_key,
    files_url,
    snippet_key,
    state_id,
)
from abtest.kit.clock import parse_timestamp, timestamp
from abtest.kit.documents import decode, encode
from abtest.kit.errors import FieldError, NotFoundError, refused
from abtest.ports.blobs import Blobs
from abtest.ports.limits import Sessions
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_of
from abtest.services.pages.live_hosts import install_hosts, is_claimed
from abtest.services.publication.preview_snippets import PreviewSnippets
from abtest.services.shop_records import read_shop

DEFAULT_SECONDS = 3600
_SCRIPT = "application/javascript; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPreview:
    """Session with its token, and the address of its first page at the proxy."""

    session: PreviewSession
    token: str
    preview_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Previews:
    """Preview sessions of shops. `base` is the address of the proxy, which may have a place for the session's id."""

    world: World
    sessions: Sessions
    roots: Callable[[], RootKeys]
    snippets: PreviewSnippets
    delivery: Blobs
    rules: EgressRules
    base: str

    def open(
        self,
        caller: Caller,
        *,
        url: str,
        experiment: str | None = None,
        variation: str | None = None,
        ttl_seconds: int = DEFAULT_SECONDS,
    ) -> OpenPreview:
        """Open a session that begins at a page of the shop, with a variation or without any experiment.

        Without `variation` the first one that is not the control is shown. Raises NotFoundError, UrlNotAllowedError,
        ValidationFailedError.
        """
        shown = experiment_of(self.world.catalog, caller.shop_id, experiment) if experiment else None
        if shown is None and variation:
            raise refused("variation_id", "send the experiment_id of this variation too")
        shown_first = _first(shown, variation) if shown else None
        expires = self.world.clock.now() + timedelta(seconds=ttl_seconds)
        session = PreviewSession(
            id=self.world.new_id(),
            shop_id=caller.shop_id,
            url=url,
            hosts=self._hosts(caller.shop_id, url),
            experiment_id=shown.id if shown else None,
            variation_id=shown_first,
            variation_ids=tuple(each.id for each in in_use(shown)) if shown else (),
            created_by=caller.user_id,
            expires_at=timestamp(expires),
        )
        opened = self._opened(session)
        self._store_snippets(session, opened.token)
        self.sessions.put(state_id(session.id), FIRST_STATE, expires_at=expires)
        # Last, because a session that exists must be whole.
        self.sessions.put(session.id, encode(session), expires_at=expires)
        return opened

    def get(self, shop_id: str, session_id: str) -> OpenPreview:
        """Return a session that has not ended. Raises NotFoundError."""
        document = self.sessions.get(session_id, now=self.world.clock.now())
        # Other things are stored by ids of their own; they have no shop, or another one.
        if document is None or document.get("shop_id") != shop_id or "hosts" not in document:
            raise NotFoundError("there is no such preview session")
        return self._opened(decode(PreviewSession, document))

    def revoke(self, shop_id: str, session_id: str) -> None:
        """End a session at once. Raises NotFoundError."""
        self.get(shop_id, session_id)
        self.sessions.delete(session_id)
        self.sessions.delete(state_id(session_id))

    def _hosts(self, shop_id: str, url: str) -> tuple[str, ...]:
        """Return the hosts that a session shows. Raises UrlNotAllowedError."""
        try:
            target = self.rules.target(url)
        except UrlNotAllowedError as error:
            raise _not_allowed(error.message) from error
        catalog, address = self.world.catalog, absolute(target.url)
        if address is None or not is_claimed(catalog, shop_id, target.host):
            raise _not_allowed(f"{target.host} must be one of the shop's install domains; add it there first")
        others = install_hosts(catalog, read_shop(catalog, shop_id))[:MAX_HOSTS]
        return allowed_hosts(address, [host for host in others if is_claimed(catalog, shop_id, host)], MAX_HOSTS)

    def _opened(self, session: PreviewSession) -> OpenPreview:
        grant = PreviewGrant(
            session_id=session.id,
            shop_id=session.shop_id,
            hosts=session.hosts,
            expires_at=int(parse_timestamp(session.expires_at).timestamp()),
            experiment_id=session.experiment_id,
            variation_id=session.variation_id,
        )
        token = make_token(self.roots(), grant)
        return OpenPreview(session=session, token=token, preview_url=proxied(self._site(session, token), session.url))

    def _site(self, session: PreviewSession, token: str) -> PreviewSite:
        return PreviewSite(base=base_of(self.base, session.id), token=token, hosts=frozenset(session.hosts))

    def _store_snippets(self, session: PreviewSession, token: str) -> None:
        """Store the snippet of each variation, so that the one that is shown can change."""
        for variation_id in session.variation_ids:
            assert session.experiment_id is not None
            address = files_url(self._site(session, token))
            snippet = self.snippets.of(session.shop_id, session.experiment_id, variation_id, files_url=address)
            for name, file in snippet.files.items():
                self.delivery.put(file_key(session.id, name), file.content, content_type=file.content_type)
            key = snippet_key(session.id, variation_id)
            self.delivery.put(key, snippet.text.encode(), content_type=_SCRIPT)


def _first(experiment: Experiment, reference: str | None) -> str:
    """Return the id of the variation that is shown first. Raises NotFoundError."""
    used = in_use(experiment)
    if reference is None:
        treatments = (each for each in used if not each.is_control)
        return next(treatments, used[0]).id
    variation = find(experiment, reference)
    if variation not in used:
        raise refused("variation_id", "is archived; unarchive it first")
    return variation.id


def _not_allowed(reason: str) -> UrlNotAllowedError:
    return UrlNotAllowedError(f"url: {reason}", fields=[FieldError("url", reason)])
