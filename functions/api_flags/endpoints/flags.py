"""Routes of flags: lists, creation, fields, values."""

from typing import Annotated

from fastapi import Query

from abtest.contract.base import ListOf
from abtest.contract.environments import EnvironmentKey
from abtest.contract.errors import InvalidStateTransitionEnvelope, PageLiveImpactEnvelope
from abtest.contract.flags import FeatureFlag, FeatureFlagInput, FeatureFlagUpdateInput, FlagVariants
from abtest.domain.changes.consent import Consent
from abtest.domain.changes.errors import LiveImpactError, NotDeletableError
from abtest.domain.flags.model import DeliveryType, Status
from abtest.domain.rollouts.errors import KeyTakenError
from abtest.domain.targeting.admission import UnsafeRegexError
from abtest.http.deps import IfMatch, Page, use
from abtest.http.listing import NarrowedOrArchived
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.flags.editor import FlagEditor
from abtest.services.flags.store import FlagStore
from abtest.services.publication import TooLargeError
from abtest.services.scopes import FieldScopeRequiredError
from api_flags.endpoints.vocabulary import Named, Reader, Writer, flag

router = Router("/flags", tag="Feature flags")

Authors = Annotated[FlagEditor, use(FlagEditor)]
Reads = Annotated[FlagStore, use(FlagStore)]

RULES = (KeyTakenError, TooLargeError, UnsafeRegexError, ValidationFailedError)
LIVE = errors(NotFoundError, LiveImpactError, *RULES, s409=PageLiveImpactEnvelope)


@router.get("", operation_id="listFlags", responses=errors(LimitReachedError))
def list_flags(
    caller: Reader,
    page: Page,
    reading: Reads,
    filters: NarrowedOrArchived,
    status: Status | None = None,
    environment_key: EnvironmentKey | None = None,
    delivery_type: DeliveryType | None = None,
) -> ListOf[FeatureFlag]:
    """List flags of all environments. Archived flags are included only with `archived` or `status=archived`.

    A page may hold fewer than `limit` items and still have a next page.
    """
    filters = filters.where(status=status, environment_key=environment_key, delivery_type=delivery_type)
    items, last = reading.page(caller.shop_id, filters, limit=page.limit, after=page.after)
    return page.page([FeatureFlag.of(item) for item in items], last)


@router.post("", operation_id="createFlag", status_code=201, responses=errors(FieldScopeRequiredError, *RULES))
def create_flag(body: FeatureFlagInput, caller: Writer, authoring: Authors) -> FeatureFlag:
    """Create a draft. With `activate` it is active immediately, which also needs the scope `flags:activate`."""
    return flag(authoring.create(caller, body.provided()))


@router.get("/{flag_id}", operation_id="getFlag", responses=errors(NotFoundError))
def get_flag(named: Named, caller: Reader, reading: Reads) -> FeatureFlag:
    """Return one flag, by its UUID or by its key.

    Keys are looked up in `environment_key`, by default `production`. An id takes precedence over a key of the same
    form; a flag with the key `evaluate` is available by its id only.
    """
    return FeatureFlag.of(reading.load(caller.shop_id, named))


@router.patch("/{flag_id}", operation_id="updateFlag", responses=LIVE)
def update_flag(
    named: Named, body: FeatureFlagUpdateInput, caller: Writer, authoring: Authors, if_match: IfMatch
) -> FeatureFlag:
    """Change fields of a flag: objects merge, everything else replaces, null clears. Values have their own route.

    While the flag is active, edits of anything but name and description need `confirm_live_impact`; this includes flags
    evaluated on servers. Archived flags can be edited.
    """
    return flag(authoring.update(caller, named, body.provided(), consent=body.consent(), expected_version=if_match))


@router.put("/{flag_id}/variants", operation_id="setFlagVariants", responses=LIVE)
def set_variants(
    named: Named,
    body: FlagVariants,
    caller: Writer,
    authoring: Authors,
    if_match: IfMatch,
    confirm_live_impact: Annotated[bool, Query(description="Required while the flag is active.")] = False,
) -> FeatureFlag:
    """Replace both values of a flag.

    The body is a list, so an active flag is acknowledged with the query parameter `confirm_live_impact`. Each value has
    at most 64 KB as JSON and 20 levels.
    """
    values = [(variant.key, variant.value) for variant in body]
    consent = Consent(confirmed=confirm_live_impact)
    return flag(authoring.set_variants(caller, named, values, consent=consent, expected_version=if_match))


@router.delete(
    "/{flag_id}",
    operation_id="deleteFlag",
    status_code=204,
    responses=errors(NotFoundError, NotDeletableError, s409=InvalidStateTransitionEnvelope),
)
def delete_flag(named: Named, caller: Writer, authoring: Authors, if_match: IfMatch) -> None:
    """Delete a draft. Any other flag must be archived instead."""
    authoring.delete(caller, named, expected_version=if_match)
