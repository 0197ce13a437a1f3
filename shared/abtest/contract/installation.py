"""Installing the snippet, on the wire: its tags, the check of a page, the pixel of external domains."""

from typing import Annotated

from pydantic import ConfigDict, Field, WithJsonSchema

from abtest.contract.base import DateTime, Id, Input, Output
from abtest.contract.urls import WebUrl
from abtest.domain.install.verdict import Surface

Uri = Annotated[str, WithJsonSchema({"type": "string", "format": "uri"})]


class Installation(Output):
    """The tags to paste, the preconnect first, and what is known of the shop's pages."""

    snippet_tag: str
    preconnect_tag: str
    async_tag: str
    shop_id: Id
    verified_at: DateTime | None
    last_seen_at: DateTime | None


class InstallVerificationInput(Input):
    """A page of the shop."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"url": "https://shop.example/"}]})

    url: WebUrl


class InstallVerification(Output):
    """What was found on the page. Each of the errors says what to do."""

    found: bool
    surface: Surface | None
    is_async: Annotated[bool, Field(alias="async")]
    errors: list[str]


class PixelUsage(Output):
    """How a page calls the pixel."""

    function_name: str
    example: str


class ExternalPixelSnippet(Output):
    """What to paste on an external domain, such as a checkout or a thank-you page of a payment provider."""

    shop_id: Id
    endpoint: Uri
    provider: str
    handover_param: str
    global_name: str
    snippet: str
    usage: PixelUsage
