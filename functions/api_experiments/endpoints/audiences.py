"""Routes of reusable audiences."""

from typing import Annotated

from abtest.contract.audiences import Audience, AudienceCreate, AudienceUpdate
from abtest.contract.base import ListOf
from abtest.contract.consent import Acknowledgement
from abtest.contract.errors import PageLiveImpactEnvelope
from abtest.domain.changes.errors import LiveImpactError
from abtest.domain.targeting.admission import UnsafeRegexError
from abtest.http.deps import IfMatch, Page, PathId, use
from abtest.http.listing import Narrowed
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ConflictError, LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.reusable.targets import Audiences
from api_experiments.endpoints.vocabulary import Reader, Writer

router = Router("/audiences", tag="Pages and audiences")

Uses = Annotated[Audiences, use(Audiences)]


@router.get("", operation_id="listAudiences", responses=errors(LimitReachedError))
def list_audiences(caller: Reader, page: Page, audiences: Uses, filters: Narrowed) -> ListOf[Audience]:
    """List the reusable audiences of the shop, newest first."""
    items, last = audiences.page(caller.shop_id, filters, limit=page.limit, after=page.after)
    return page.page([Audience.of(item) for item in items], last)


@router.post(
    "", operation_id="createAudience", status_code=201, responses=errors(ValidationFailedError, UnsafeRegexError)
)
def create_audience(body: AudienceCreate, caller: Writer, audiences: Uses) -> Audience:
    """Create a reusable audience. Targeting refers to it by `audienceId`."""
    saved = audiences.create(caller, body.provided())
    return Audience.of(saved.value, saved.warning)


@router.get("/{audience_id}", operation_id="getAudience", responses=errors(NotFoundError))
def get_audience(audience_id: PathId, caller: Reader, audiences: Uses) -> Audience:
    """Return one audience of the shop."""
    return Audience.of(audiences.get(caller.shop_id, audience_id))


@router.patch(
    "/{audience_id}",
    operation_id="updateAudience",
    responses=errors(
        NotFoundError, LiveImpactError, ValidationFailedError, UnsafeRegexError, s409=PageLiveImpactEnvelope
    ),
)
def update_audience(
    audience_id: PathId, body: AudienceUpdate, caller: Writer, audiences: Uses, if_match: IfMatch
) -> Audience:
    """Change an audience and everything that uses it.

    As for pages, the change must be acknowledged while shoppers see any of its consumers, except for a new name.
    """
    consent = body.consent()
    saved = audiences.update(caller, audience_id, body.provided(), consent=consent, expected_version=if_match)
    return Audience.of(saved.value, saved.warning)


@router.delete(
    "/{audience_id}",
    operation_id="deleteAudience",
    status_code=204,
    responses=errors(NotFoundError, ConflictError, LiveImpactError, s409=PageLiveImpactEnvelope),
)
def delete_audience(
    audience_id: PathId, caller: Writer, audiences: Uses, if_match: IfMatch, body: Acknowledgement | None = None
) -> None:
    """Delete an audience that only archived items use.

    While live items use it, the request is 409 `page_live_impact` until it is acknowledged. Then it is 409 `conflict`,
    which names up to five items that use the audience.
    """
    consent = (body or Acknowledgement()).consent()
    audiences.delete(caller, audience_id, consent=consent, expected_version=if_match)
