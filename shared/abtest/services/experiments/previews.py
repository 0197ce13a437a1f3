"""Links that show one variation on a page of the shop, for a while and revocably."""

from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple
from urllib.parse import urlencode

from ada_url import URL

from abtest.domain.credentials.preview import PreviewGrant, make_token
from abtest.domain.credentials.signing import RootKeys
from abtest.domain.experiments.variations import find
from abtest.kit.clock import Timestamp, timestamp
from abtest.ports.limits import Sessions
from abtest.services.context import Caller
from abtest.services.experiments.store import ExperimentStore

DEFAULT_SECONDS = 3600


class PreviewLink(NamedTuple):
    """Address of the preview, its token, and the expiry of both."""

    url: str
    token: str
    expires_at: Timestamp


class PreviewLinks:
    """Makes preview sessions for variations."""

    def __init__(
        self, store: ExperimentStore, sessions: Sessions, roots: Callable[[], RootKeys], worker_base_url: str
    ) -> None:
        self._store = store
        self._sessions = sessions
        self._roots = roots
        self._base = worker_base_url.rstrip("/")

    def create(
        self, caller: Caller, reference: str, variation_id: str, *, url: str, ttl_seconds: int = DEFAULT_SECONDS
    ) -> PreviewLink:
        """A link to `url` with the variation, on the host of `url` only. Raises NotFoundError."""
        experiment = self._store.get(caller.shop_id, reference)
        variation = find(experiment, variation_id)
        expires = self._store.world.clock.now() + timedelta(seconds=ttl_seconds)
        grant = PreviewGrant(
            session_id=self._store.world.new_id(),
            shop_id=caller.shop_id,
            # A leaked token must not be of use on other sites, so it is bound to the host that was named.
            hosts=[URL(url).host],
            expires_at=int(expires.timestamp()),
            experiment_id=experiment.id,
            variation_id=variation.id,
        )
        document = {
            "shop_id": grant.shop_id,
            "experiment_id": experiment.id,
            "variation_id": variation.id,
            "hosts": list(grant.hosts),
            "url": url,
            "created_by": caller.user_id,
            "expires_at": timestamp(expires),
        }
        self._sessions.put(grant.session_id, document, expires_at=expires)
        token = make_token(self._roots(), grant)
        query = urlencode({"pst": token, "url": url})
        return PreviewLink(f"{self._base}/api/preview?{query}", token, timestamp(expires))
