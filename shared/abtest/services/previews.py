"""Previews through the proxy: pages of a shop with a variation, for a while and revocably."""

from dataclasses import dataclass, replace

from abtest.domain.experiments.design import in_use
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.variations import find
from abtest.domain.preview.session import (
    FIRST_STATE,
    PreviewSession,
    files_url,
    snippet_key,
    state_id,
)
from abtest.kit.clock import parse_timestamp
from abtest.kit.errors import refused
from abtest.ports.blobs import Blobs
from abtest.services.context import Caller
from abtest.services.experiments.records import experiment_of
from abtest.services.preview_sessions import DEFAULT_SECONDS, OpenPreview, PreviewSessions
from abtest.services.publication.preview_snippets import PreviewSnippets, store_files

_SCRIPT = "application/javascript; charset=utf-8"


@dataclass(frozen=True, slots=True, kw_only=True)
class Previews:
    """Previews through the proxy."""

    sessions: PreviewSessions
    snippets: PreviewSnippets
    delivery: Blobs

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
        world = self.sessions.world
        shown = experiment_of(world.catalog, caller.shop_id, experiment) if experiment else None
        if shown is None and variation:
            raise refused("variation_id", "send the experiment_id of this variation too")
        shown_first = shown_variation(shown, variation) if shown else None
        session = replace(
            self.sessions.begun(caller, url, ttl_seconds),
            experiment_id=shown.id if shown else None,
            variation_id=shown_first,
            variation_ids=tuple(each.id for each in in_use(shown)) if shown else (),
        )
        opened = self.sessions.opened(session)
        self._store_snippets(session, opened.token)
        self.sessions.store.put(state_id(session.id), FIRST_STATE, expires_at=parse_timestamp(session.expires_at))
        self.sessions.keep(session)
        return opened

    def _store_snippets(self, session: PreviewSession, token: str) -> None:
        """Store the snippet of each variation, so that the one that is shown can change."""
        for variation_id in session.variation_ids:
            assert session.experiment_id is not None
            address = files_url(self.sessions.site(session, token))
            snippet = self.snippets.of(session.shop_id, session.experiment_id, variation_id, files_url=address)
            store_files(self.delivery, session.id, snippet.files)
            key = snippet_key(session.id, variation_id)
            self.delivery.put(key, snippet.text.encode(), content_type=_SCRIPT)


def shown_variation(experiment: Experiment, reference: str | None) -> str:
    """Return the id of the variation that is shown first. Raises NotFoundError, ValidationFailedError."""
    used = in_use(experiment)
    if reference is None:
        treatments = (each for each in used if not each.is_control)
        return next(treatments, used[0]).id
    variation = find(experiment, reference)
    if variation not in used:
        raise refused("variation_id", "is archived; unarchive it first")
    return variation.id
