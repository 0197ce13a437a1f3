"""Routes of exclusion groups."""

from typing import Annotated

from abtest.contract.base import ListOf
from abtest.contract.consent import Acknowledgement
from abtest.contract.errors import PageLiveImpactEnvelope
from abtest.contract.exclusion_groups import ExclusionGroup, ExclusionGroupCreate, ExclusionGroupUpdate
from abtest.domain.changes.errors import LiveImpactError
from abtest.http.deps import IfMatch, Page, PathId, use
from abtest.http.listing import Narrowed
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ConflictError, LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.reusable.exclusion_groups import ExclusionGroups
from api_experiments.endpoints.vocabulary import Reader, Writer

router = Router("/exclusion-groups", tag="Exclusion groups")

Uses = Annotated[ExclusionGroups, use(ExclusionGroups)]
EDIT = (ConflictError, LiveImpactError, ValidationFailedError)


@router.get("", operation_id="listExclusionGroups", responses=errors(LimitReachedError))
def list_groups(caller: Reader, page: Page, groups: Uses, filters: Narrowed) -> ListOf[ExclusionGroup]:
    """List exclusion groups, newest first."""
    items, last = groups.page(caller.shop_id, filters, limit=page.limit, after=page.after)
    return page.page([ExclusionGroup.of(item) for item in items], last)


@router.post(
    "", operation_id="createExclusionGroup", status_code=201, responses=errors(*EDIT, s409=PageLiveImpactEnvelope)
)
def create_group(body: ExclusionGroupCreate, caller: Writer, groups: Uses) -> ExclusionGroup:
    """Create a group whose members share its traffic: each visitor takes part in at most one of them.

    Shares sum to at most 1. An experiment that belongs to another group is 409 `conflict`; a running member must be
    acknowledged (409 `page_live_impact`).
    """
    saved = groups.create(caller, body.provided(), consent=body.consent())
    return ExclusionGroup.of(saved.value, saved.warning)


@router.get("/{group_id}", operation_id="getExclusionGroup", responses=errors(NotFoundError))
def get_group(group_id: PathId, caller: Reader, groups: Uses) -> ExclusionGroup:
    """Return one exclusion group."""
    return ExclusionGroup.of(groups.get(caller.shop_id, group_id))


@router.patch(
    "/{group_id}",
    operation_id="updateExclusionGroup",
    responses=errors(NotFoundError, *EDIT, s409=PageLiveImpactEnvelope),
)
def update_group(
    group_id: PathId, body: ExclusionGroupUpdate, caller: Writer, groups: Uses, if_match: IfMatch
) -> ExclusionGroup:
    """Change members or shares, and raise `epoch`. Visitors stay in their experiment where the new shares allow it.

    With a running member the change must be acknowledged. A deleted or archived member keeps its share until it is
    removed.
    """
    consent = body.consent()
    saved = groups.update(caller, group_id, body.provided(), consent=consent, expected_version=if_match)
    return ExclusionGroup.of(saved.value, saved.warning)


@router.delete(
    "/{group_id}",
    operation_id="deleteExclusionGroup",
    status_code=204,
    responses=errors(NotFoundError, LiveImpactError, s409=PageLiveImpactEnvelope),
)
def delete_group(
    group_id: PathId, caller: Writer, groups: Uses, if_match: IfMatch, body: Acknowledgement | None = None
) -> None:
    """Delete a group. Its experiments then get the visitors it withheld from them, which must be acknowledged."""
    consent = (body or Acknowledgement()).consent()
    groups.delete(caller, group_id, consent=consent, expected_version=if_match)
