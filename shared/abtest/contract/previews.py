"""Wire models of preview sessions and preview links."""

from typing import Annotated, Literal

from pydantic import Field

from abtest.contract.base import ABSENT, DateTime, Id, Input, Output, Reference, Secret
from abtest.contract.urls import WebUrl
from abtest.domain.preview.session import PreviewSession

Lifetime = Annotated[int, Field(ge=60, le=7200)]
FlagValue = Literal["on", "off"]
Opens = Literal["proxy", "storefront", "landing_page"]


class PreviewCreate(Input):
    """The first page of a preview, and what is shown on it."""

    url: WebUrl
    experiment_id: Reference | None = ABSENT
    variation_id: Reference | None = ABSENT
    ttl_seconds: Lifetime = ABSENT


class PreviewLinkInput(Input):
    """The page to preview, and the lifetime of the link."""

    url: WebUrl
    ttl_seconds: Lifetime = ABSENT


class PersonalizationPreviewLinkInput(PreviewLinkInput):
    """The page to preview, the experience to show on it, and the lifetime of the link."""

    experience: Annotated[str, Field(min_length=1, max_length=200)] | None = ABSENT


class FlagPreviewLinkInput(PreviewLinkInput):
    """The page to preview, the value of the flag on it, and the lifetime of the link."""

    value: FlagValue = ABSENT


class PreviewLink(Output):
    """A link that shows the draft on the shop's own page, its session, its token, and when it ends."""

    session_id: Id
    url: Secret
    token: Secret
    expires_at: DateTime

    @classmethod
    def of(cls, session: PreviewSession, url: str, token: str) -> "PreviewLink":
        """Return the response of a link."""
        return cls(session_id=session.id, url=url, token=token, expires_at=session.expires_at)


class Preview(Output):
    """Preview session: the address of its first page, what it shows, its token, its hosts, and its expiry."""

    session_id: Id
    url: str
    opens: Opens
    experiment_id: Id | None
    variation_id: Id | None
    personalization_id: Id | None
    experience: str | None
    flag_id: Id | None
    value: FlagValue | None
    token: Secret
    preview_url: Secret
    allowed_hosts: list[str]
    expires_at: DateTime

    @classmethod
    def of(cls, session: PreviewSession, url: str, token: str) -> "Preview":
        """Return the response of a session."""
        return cls(
            session_id=session.id,
            url=session.url,
            opens="proxy" if session.audience == "preview" else session.audience,
            experiment_id=session.experiment_id,
            variation_id=session.variation_id if session.experiment_id else None,
            personalization_id=session.personalization_id,
            experience=session.variation_id if session.personalization_id else None,
            flag_id=session.flag_id,
            value=("on" if session.variation_id == "on" else "off") if session.flag_id else None,
            token=token,
            preview_url=url,
            allowed_hosts=list(session.hosts),
            expires_at=session.expires_at,
        )
