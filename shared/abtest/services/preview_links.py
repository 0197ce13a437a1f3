"""Preview links: a draft on the shop's own pages, for those who have the link, for a while and revocably."""

from dataclasses import dataclass, replace
from typing import Literal

from abtest.domain.delivery.drafts import Choice, Draft, write_draft
from abtest.domain.experiments.design import in_use
from abtest.domain.experiments.model import Experiment
from abtest.domain.flags.model import Flag
from abtest.domain.personalizations.model import Personalization
from abtest.domain.preview.session import PreviewSession, draft_key
from abtest.kit.errors import NotFoundError, refused
from abtest.ports.blobs import Blobs
from abtest.services.context import Caller
from abtest.services.experiments.records import experiment_of
from abtest.services.preview_sessions import DEFAULT_SECONDS, OpenPreview, PreviewSessions
from abtest.services.previews import shown_variation
from abtest.services.publication.drafts import Drafts, Subject, kind_of
from abtest.services.publication.preview_snippets import store_files
from abtest.services.publication.sources import Sources

FlagValue = Literal["on", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PreviewLinks:
    """Links to drafts. Each draft is compiled when its link is made, and stays as it was until the link ends."""

    sessions: PreviewSessions
    drafts: Drafts
    delivery: Blobs

    def of_variation(
        self, caller: Caller, experiment: str, variation: str, *, url: str, ttl_seconds: int = DEFAULT_SECONDS
    ) -> OpenPreview:
        """Return a link that shows a variation. Raises NotFoundError, UrlNotAllowedError, ValidationFailedError."""
        subject = experiment_of(self.sessions.world.catalog, caller.shop_id, experiment)
        shown = shown_variation(subject, variation)
        session = replace(self._session(caller, url, ttl_seconds), experiment_id=subject.id, variation_id=shown)
        return self._opened(session, subject, _variations(subject))

    def of_personalization(
        self,
        caller: Caller,
        subject: Personalization,
        *,
        url: str,
        experience: str | None = None,
        ttl_seconds: int = DEFAULT_SECONDS,
    ) -> OpenPreview:
        """Return a link that shows an experience, by default the first.

        `experience` is a key or an id. Raises NotFoundError, UrlNotAllowedError, ValidationFailedError.
        """
        named = [each for each in subject.experiences if experience in (None, each.key, each.id)]
        if not named:
            raise NotFoundError("the personalization has no experience with this key or id")
        session = replace(
            self._session(caller, url, ttl_seconds), personalization_id=subject.id, variation_id=named[0].key
        )
        choices: list[Choice] = [{"id": each.id, "key": each.key, "name": each.name} for each in subject.experiences]
        return self._opened(session, subject, choices)

    def of_flag(
        self, caller: Caller, subject: Flag, *, url: str, value: FlagValue = "on", ttl_seconds: int = DEFAULT_SECONDS
    ) -> OpenPreview:
        """Return a link that gives a flag this value. Raises UrlNotAllowedError, ValidationFailedError."""
        if subject.delivery_type == "api":
            raise refused("delivery_type", "must be visual: pages do not get flags for servers")
        session = replace(self._session(caller, url, ttl_seconds), flag_id=subject.id, variation_id=value)
        return self._opened(session, subject, [{"id": "on", "name": "On"}, {"id": "off", "name": "Off"}])

    def _session(self, caller: Caller, url: str, ttl_seconds: int) -> PreviewSession:
        handed_over = Sources(self.sessions.world.catalog, caller.shop_id).settings().external_tracking.domains
        return self.sessions.begun(caller, url, ttl_seconds, audience="storefront", others=handed_over)

    def _opened(self, begun: PreviewSession, subject: Subject, choices: list[Choice]) -> OpenPreview:
        """Store the draft and its files, then the session."""
        session = replace(begun, version=subject.version)
        compiled = self.drafts.compiled(subject, prefix=f"{session.id}-")
        store_files(self.delivery, session.id, compiled.files)
        draft = Draft(
            kind=kind_of(subject),
            id=subject.id,
            name=subject.name,
            shown=session.variation_id or "",
            choices=tuple(choices),
            version=subject.version,
            status="archived" if _is_archived(subject) else subject.status,
            environment=None if isinstance(subject, Experiment) else subject.environment_key,
            hosts=session.hosts,
            expires_at=session.expires_at,
            config=compiled.config,
            part=compiled.part,
            functions=compiled.functions,
        )
        self.delivery.put(draft_key(session.id), write_draft(draft), content_type="application/json")
        self.sessions.keep(session)
        return self.sessions.opened(session)


def _variations(experiment: Experiment) -> list[Choice]:
    return [{"id": each.id, "name": each.name} for each in in_use(experiment)]


def _is_archived(subject: Subject) -> bool:
    return not isinstance(subject, Flag) and subject.archived_at is not None
