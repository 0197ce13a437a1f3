"""Installation on the wire: the tags, the check of a page, the pixel for external domains."""

from typing import Annotated

from pydantic import ConfigDict, Field, WithJsonSchema

from abtest.contract.base import DateTime, Id, Input, Output
from abtest.contract.urls import WebUrl
from abtest.domain.install.verdict import Surface

Uri = Annotated[str, WithJsonSchema({"type": "string", "format": "uri"})]


class Installation(Output):
    """The tags to paste, the preconnect first, and the state of the installation."""

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
    """Result of the check. `surface` is null without a snippet; each error describes what to fix.

    `async` is true also for the tag with a limit, whose script is asynchronous although the page waits for it.
    """

    found: bool
    surface: Surface | None
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
