"""Previews of landing pages on the wire."""

from typing import Any, Self

from abtest.contract.base import ABSENT, DateTime, Id, Input, Output, Secret
from abtest.contract.page_specs import PageSpecInput, SeoManifestInput
from abtest.domain.preview.session import PreviewSession


class LandingPagePreviewCreate(Input):
    """Content to look at: what a version would have. Without `seo_manifest` the title is the name of the page."""

    spec: PageSpecInput
    seo_manifest: SeoManifestInput = ABSENT

    def provided(self) -> Any:
        """Return the fields of the request."""
        return self.model_dump(exclude_unset=True, by_alias=True)


class LandingPagePreview(Output):
    """A link that shows the content, its session, and when it ends."""

    session_id: Id
    url: Secret
    expires_at: DateTime

    @classmethod
    def of(cls, session: PreviewSession, url: str) -> Self:
        """Return the response of a preview."""
        return cls(session_id=session.id, url=url, expires_at=session.expires_at)
