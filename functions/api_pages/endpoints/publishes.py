"""Routes of publishing: what visitors get at the address of a landing page."""

from hashlib import sha256
from typing import Annotated

from starlette.responses import Response

from abtest.contract.base import ListOf
from abtest.contract.errors import GateFailedEnvelope, InvalidStateTransitionEnvelope
from abtest.contract.landing_pages import (
    LandingPage,
    LandingPagePublish,
    LandingPagePublishCreate,
    LandingPageRollback,
)
from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.domain.pages.addresses import ReservedPathError, RouteTakenError
from abtest.domain.pages.gates import GateFailedError, QaRequiredError
from abtest.http.deps import Caller, IfMatch, Page, PathId, require, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ConflictError, NotFoundError, ValidationFailedError
from abtest.services.pages.publishing import Publishing
from api_pages.endpoints.vocabulary import Reader, Shown

router = Router("/landing-pages/{landing_page_id}", tag="Landing pages")

Uses = Annotated[Publishing, use(Publishing)]
Publisher = Annotated[Caller, require("landing_pages:publish")]

MOVE = (NotFoundError, InvalidStateTransitionError)
ADDRESS = (ValidationFailedError, UrlNotAllowedError, RouteTakenError, ConflictError)


@router.get("/publishes", operation_id="listLandingPagePublishes", responses=errors(NotFoundError))
def list_publishes(landing_page_id: PathId, caller: Reader, page: Page, publishing: Uses) -> ListOf[LandingPagePublish]:
    """List the publishes of a landing page, newest first."""
    items, last = publishing.page(caller.shop_id, landing_page_id, limit=page.limit, after=page.after)
    return page.page([LandingPagePublish.of(item) for item in items], last)


@router.get(
    "/publishes/{publish_id}/export",
    operation_id="exportLandingPagePublish",
    response_class=Response,
    responses={
        200: {"description": "The file, with an ETag", "content": {"text/html": {"schema": {"type": "string"}}}},
        304: {"description": "Not modified since the ETag in If-None-Match"},
        **errors(NotFoundError),
    },
)
def export(landing_page_id: PathId, publish_id: PathId, caller: Reader, publishing: Uses) -> Response:
    """Return the file of a publish of a page whose `publish_mode` is `export`, as an attachment.

    It is one HTML document with its styles, files and Content-Security-Policy, for any web server. It opens without
    this service; the snippet, its only script, is loaded while the page is shown. A publish at an address has no file
    (404).
    """
    page, content = publishing.exported(caller.shop_id, landing_page_id, publish_id)
    headers = {
        "Content-Disposition": f'attachment; filename="{page.slug}.html"',
        "ETag": f'"{sha256(content).hexdigest()}"',
    }
    return Response(content, media_type="text/html; charset=utf-8", headers=headers)


@router.post(
    "/publish",
    operation_id="publishLandingPage",
    status_code=201,
    responses=errors(
        *MOVE,
        *ADDRESS,
        ReservedPathError,
        GateFailedError,
        QaRequiredError,
        s409=InvalidStateTransitionEnvelope,
        s422=GateFailedEnvelope,
    ),
)
def publish(
    landing_page_id: PathId,
    caller: Publisher,
    publishing: Uses,
    if_match: IfMatch,
    body: LandingPagePublishCreate | None = None,
) -> LandingPagePublish:
    """Publish a version, by default the current one, at an address, by default that of the page or its slug.

    The version must pass its gate (422 `gate_failed` with the failed `checks`) and have an approved QA run (409
    `qa_required`), unless `require_landing_qa` of the shop is false. `override_gate` lets checks pass other
    than `html_valid`, `no_external_script` and `csp_safe`. The host must be an install domain of the shop (422
    `url_not_allowed`), the path free (409 `route_taken`) and not reserved (422 `reserved_path`).

    A publish keeps its documents: later changes of the page or its experiment need another one. At another address than
    before, the page is there before it ends where it was. With a linked experiment, the version of each variation is
    published as well. A publish that is stored but not online yet has the status `publishing` and an `error`; it goes
    online within a minute or two, without another request.
    """
    fields = body.provided() if body else {}
    return LandingPagePublish.of(publishing.publish(caller, landing_page_id, fields, expected_version=if_match))


@router.post(
    "/rollback",
    operation_id="rollBackLandingPage",
    responses=errors(*MOVE, *ADDRESS, s409=InvalidStateTransitionEnvelope),
)
def roll_back(
    landing_page_id: PathId,
    body: LandingPageRollback,
    caller: Publisher,
    publishing: Uses,
    shown: Shown,
    if_match: IfMatch,
) -> LandingPage:
    """Publish again what an earlier publish was: its version, address and variants, without gates.

    This is a new publish. Going back to the one that is online changes nothing. The current version stays as it is.
    """
    return shown(publishing.roll_back(caller, landing_page_id, body.publish_id, expected_version=if_match).value)


@router.post(
    "/unpublish",
    operation_id="unpublishLandingPage",
    responses=errors(*MOVE, s409=InvalidStateTransitionEnvelope),
)
def unpublish(
    landing_page_id: PathId, caller: Publisher, publishing: Uses, shown: Shown, if_match: IfMatch
) -> LandingPage:
    """Take a landing page offline: its address answers 404 and is free again. An offline one stays as it is."""
    return shown(publishing.unpublish(caller, landing_page_id, expected_version=if_match).value)
