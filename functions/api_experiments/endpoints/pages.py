"""Routes of reusable pages and of the rule tester."""

from typing import Annotated

from abtest.contract.base import ListOf
from abtest.contract.consent import Acknowledgement
from abtest.contract.errors import PageLiveImpactEnvelope
from abtest.contract.pages import Page, PageConsumer, PageCreate, PageMatch, PageMatchInput, PageUpdate
from abtest.domain.changes.errors import LiveImpactError
from abtest.domain.targeting.admission import UnsafeRegexError
from abtest.http.deps import IfMatch, PathId, use
from abtest.http.deps import Page as Paging
from abtest.http.listing import Narrowed
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ConflictError, LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.reusable.page_match import PageMatch as Tester
from abtest.services.reusable.targets import Pages
from api_experiments.endpoints.vocabulary import Reader, Writer, part_of

router = Router("/pages", tag="Pages and audiences")

Uses = Annotated[Pages, use(Pages)]


@router.get("", operation_id="listPages", responses=errors(LimitReachedError))
def list_pages(caller: Reader, page: Paging, pages: Uses, filters: Narrowed) -> ListOf[Page]:
    """List the reusable pages of the shop, newest first."""
    items, last = pages.page(caller.shop_id, filters, limit=page.limit, after=page.after)
    return page.page([Page.of(item) for item in items], last)


@router.post("", operation_id="createPage", status_code=201, responses=errors(ValidationFailedError, UnsafeRegexError))
def create_page(body: PageCreate, caller: Writer, pages: Uses) -> Page:
    """Create a reusable page. Targeting refers to it by `pageId`."""
    saved = pages.create(caller, body.provided())
    return Page.of(saved.value, saved.warning)


@router.post("/match", operation_id="matchPages", responses=errors(ValidationFailedError, UnsafeRegexError))
def match_pages(body: PageMatchInput, caller: Reader, tester: Annotated[Tester, use(Tester)]) -> PageMatch:
    """Test an address against page rules, and return the rule that decided.

    `url` is absolute or a path. `rules` is one page rule or up to 50, which may refer to pages of the shop; `page_id`
    tests one page, and an unknown one is 422. Only URL rules are tested: conditions and triggers need a visitor.
    """
    fields = body.provided()
    return PageMatch.of(
        tester.test(caller.shop_id, fields["url"], rules=fields.get("rules"), page_id=fields.get("page_id"))
    )


@router.get("/{page_id}", operation_id="getPage", responses=errors(NotFoundError))
def get_page(page_id: PathId, caller: Reader, pages: Uses) -> Page:
    """Return one page of the shop."""
    return Page.of(pages.get(caller.shop_id, page_id))


@router.patch(
    "/{page_id}",
    operation_id="updatePage",
    responses=errors(
        NotFoundError, LiveImpactError, ValidationFailedError, UnsafeRegexError, s409=PageLiveImpactEnvelope
    ),
)
def update_page(page_id: PathId, body: PageUpdate, caller: Writer, pages: Uses, if_match: IfMatch) -> Page:
    """Change a page and everything that uses it.

    While shoppers see any of its consumers, the change needs `confirm_live_impact` and their ids in
    `confirmed_consumer_ids`. A new name needs neither.
    """
    consent = body.consent()
    saved = pages.update(caller, page_id, body.provided(), consent=consent, expected_version=if_match)
    return Page.of(saved.value, saved.warning)


@router.delete(
    "/{page_id}",
    operation_id="deletePage",
    status_code=204,
    responses=errors(NotFoundError, ConflictError, LiveImpactError, s409=PageLiveImpactEnvelope),
)
def delete_page(
    page_id: PathId, caller: Writer, pages: Uses, if_match: IfMatch, body: Acknowledgement | None = None
) -> None:
    """Delete a page that only archived items use.

    While live items use it, the request is 409 `page_live_impact` until it is acknowledged. Then it is 409 `conflict`,
    which names up to five items that use the page.
    """
    consent = (body or Acknowledgement()).consent()
    pages.delete(caller, page_id, consent=consent, expected_version=if_match)


@router.get("/{page_id}/consumers", operation_id="listPageConsumers", responses=errors(NotFoundError))
def list_consumers(page_id: PathId, caller: Reader, page: Paging, pages: Uses) -> ListOf[PageConsumer]:
    """List the experiments, feature flags and personalizations that use the page and are not archived, each newest
    first."""
    consumers = pages.consumers(caller.shop_id, page_id)
    shown = [PageConsumer(id=it.id, name=it.name, consumer=it.consumer, live=it.live) for it in consumers]
    return part_of(page, shown)
