"""Installation on the wire: the tags, the check of a page, the pixel for external domains."""

from typing import Annotated

from pydantic import ConfigDict, Field, WithJsonSchema

from abtest.contract.base import DateTime, Id, Input, Output
from abtest.contract.urls import WebUrl
from abtest.domain.install.tags import TagName
from abtest.domain.install.verdict import FoundTag, Surface

Uri = Annotated[str, WithJsonSchema({"type": "string", "format": "uri"})]


class InstallTag(Output):
    """One way to install the snippet; `html` is whole, with the preconnect."""

    name: TagName
    when: str
    html: str


class Installation(Output):
    """The tags to paste, and the state of the installation.

    `tags` has one for each way to install, the recommended one first. The other fields have their parts: first the
    preconnect, then one of the others.
    """

    tags: list[InstallTag]

    snippet_tag: str
    preconnect_tag: str
    async_tag: str
    bounded_tag: str
    shop_id: Id
    verified_at: DateTime | None
    last_seen_at: DateTime | None


class InstallVerificationInput(Input):
    """A page of the shop."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"url": "https://shop.example/"}]})

    url: WebUrl


class InstallVerification(Output):
    """Result of the check. `surface` and `tag` are null without a snippet; each error describes what to fix.

    `tag` is which tag the page has, `inlined` if the snippet's text is part of the page. `async` is true also for the
    bounded tag, whose script is asynchronous although the page waits for it.
    """

    found: bool
    surface: Surface | None
    tag: FoundTag | None
    is_async: Annotated[bool, Field(alias="async")]
    errors: list[str]


class PixelUsage(Output):
    """Calls of the pixel from a page."""

    function_name: str
    example: str


class ExternalPixelSnippet(Output):
    """The pixel for an external domain, such as a checkout or a thank-you page of a payment provider."""

    shop_id: Id
    endpoint: Uri
    provider: str
    handover_param: str
    global_name: str
    snippet: str
    usage: PixelUsage
