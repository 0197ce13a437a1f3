"""Wire models of preview sessions."""

from typing import Annotated

from pydantic import Field

from abtest.contract.base import ABSENT, DateTime, Id, Input, Output, Reference, Secret
from abtest.contract.urls import WebUrl

Lifetime = Annotated[int, Field(ge=60, le=7200)]


class PreviewCreate(Input):
    """The first page of a preview, and what is shown on it."""

    url: WebUrl
    experiment_id: Reference | None = ABSENT
    variation_id: Reference | None = ABSENT
    ttl_seconds: Lifetime = ABSENT


class Preview(Output):
    """Preview session: the address of its first page at the proxy, its token, the hosts it shows, and its expiry."""

    session_id: Id
    url: str
    experiment_id: Id | None
    variation_id: Id | None
    token: Secret
    preview_url: Secret
    allowed_hosts: list[str]
    expires_at: DateTime
