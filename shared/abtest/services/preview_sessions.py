"""Sessions of previews: of the proxy, of the shop's own pages, of a page being written. How they are kept, and end."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from abtest.domain.credentials.preview import MAX_HOSTS, Audience, PreviewGrant, make_token
from abtest.domain.credentials.signing import RootKeys
from abtest.domain.egress.targets import EgressRules, UrlNotAllowedError
from abtest.domain.preview.addresses import PreviewSite, WebAddress, absolute, proxied
from abtest.domain.preview.links import link
from abtest.domain.preview.session import PreviewSession, allowed_hosts, base_of, state_id, written_page_url
from abtest.kit.clock import parse_timestamp, timestamp
from abtest.kit.documents import decode, encode
from abtest.kit.errors import FieldError, NotFoundError
from abtest.ports.limits import Sessions
from abtest.services.context import Caller, World
from abtest.services.pages.live_hosts import install_hosts, is_claimed
from abtest.services.shop_records import read_shop

DEFAULT_SECONDS = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenPreview:
    """Session with its token, and the address of its first page: at the proxy, at the shop, or of what is written."""

    session: PreviewSession
    token: str
    preview_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewSessions:
    """Preview sessions of shops. `base` is the address of the proxy, which may have a place for the session's id."""

    world: World
    store: Sessions
    roots: Callable[[], RootKeys]
    rules: EgressRules
    base: str

    def begun(
        self,
        caller: Caller,
        url: str,
        ttl_seconds: int,
        *,
        audience: Audience = "preview",
        others: tuple[str, ...] = (),
    ) -> PreviewSession:
        """Return a session that begins at a page of the shop, with `others` among its hosts; it is not stored yet.

        Raises UrlNotAllowedError.
        """
        return PreviewSession(
            id=self.world.new_id(),
            shop_id=caller.shop_id,
            url=url,
            hosts=self._hosts(caller.shop_id, url, others),
            audience=audience,
            created_by=caller.user_id,
            expires_at=timestamp(self.world.clock.now() + timedelta(seconds=ttl_seconds)),
        )

    def get(self, shop_id: str, session_id: str) -> OpenPreview:
        """Return a session that has not ended. Raises NotFoundError."""
        document = self.store.get(session_id, now=self.world.clock.now())
        # Other things are stored by ids of their own; they have no shop, or another one.
        if document is None or document.get("shop_id") != shop_id or "hosts" not in document:
            raise NotFoundError("there is no such preview session")
        return self.opened(decode(PreviewSession, document))

    def keep(self, session: PreviewSession) -> None:
        """Store a session. This comes last, because a session that exists must be whole."""
        self.store.put(session.id, encode(session), expires_at=parse_timestamp(session.expires_at))

    def revoke(self, shop_id: str, session_id: str) -> None:
        """End a session at once. Raises NotFoundError."""
        self.get(shop_id, session_id)
        self.store.delete(session_id)
        self.store.delete(state_id(session_id))

    def opened(self, session: PreviewSession) -> OpenPreview:
        """Return a session with its token and its address."""
        grant = PreviewGrant(
            session_id=session.id,
            shop_id=session.shop_id,
            hosts=session.hosts,
            expires_at=int(parse_timestamp(session.expires_at).timestamp()),
            audience=session.audience,
            experiment_id=session.experiment_id,
            personalization_id=session.personalization_id,
            flag_id=session.flag_id,
            variation_id=session.variation_id,
            version=session.version,
        )
        token = make_token(self.roots(), grant)
        page = absolute(session.url) if session.audience == "storefront" else None
        site = self.site(session, token)
        if session.audience == "landing_page":
            url = written_page_url(site)
        else:
            url = link(page, token) if page else proxied(site, session.url)
        return OpenPreview(session=session, token=token, preview_url=url)

    def site(self, session: PreviewSession, token: str) -> PreviewSite:
        """Return the site that pages of the proxy see."""
        return PreviewSite(base=base_of(self.base, session.id), token=token, hosts=frozenset(session.hosts))

    def _hosts(self, shop_id: str, url: str, others: tuple[str, ...]) -> tuple[str, ...]:
        """Return the hosts of a session that begins at a page: its own, claimed ones, then `others`.

        Raises UrlNotAllowedError.
        """
        address, catalog = self._claimed(shop_id, url), self.world.catalog
        known = install_hosts(catalog, read_shop(catalog, shop_id))[:MAX_HOSTS]
        claimed = [host for host in known if is_claimed(catalog, shop_id, host)]
        return allowed_hosts(address, [*claimed, *others], MAX_HOSTS)

    def _claimed(self, shop_id: str, url: str) -> WebAddress:
        """Return the address of a page at one of the shop's install domains. Raises UrlNotAllowedError."""
        try:
            target = self.rules.target(url)
        except UrlNotAllowedError as error:
            raise _not_allowed(error.message) from error
        address = absolute(target.url)
        if address is None or not is_claimed(self.world.catalog, shop_id, target.host):
            raise _not_allowed(f"{target.host} must be one of the shop's install domains; add it there first")
        return address


def _not_allowed(reason: str) -> UrlNotAllowedError:
    return UrlNotAllowedError(f"url: {reason}", fields=[FieldError("url", reason)])
