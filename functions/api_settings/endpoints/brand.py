"""Routes of the brand context."""

from typing import Annotated

from abtest.contract.brand import BrandContext, BrandContextInput
from abtest.http.deps import Caller, IfMatch, require, use, versioned
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ValidationFailedError
from abtest.services.rate_limits import RateLimitedError
from abtest.services.scopes import FieldScopeRequiredError
from abtest.services.settings.brand import BrandContexts

router = Router("/brand-context", tag="Brand context")

Reader = Annotated[Caller, require("brand:read")]
Writer = Annotated[Caller, require("brand:write")]
Uses = Annotated[BrandContexts, use(BrandContexts)]


@router.get("", operation_id="getBrandContext")
@versioned
def get_brand_context(caller: Reader, contexts: Uses) -> BrandContext:
    """Return the brand context of the shop. Before it is written, everything is empty and `mode` is `off`."""
    return contexts.get(caller)


@router.put(
    "",
    operation_id="putBrandContext",
    responses=errors(FieldScopeRequiredError, ValidationFailedError, RateLimitedError),
)
@versioned
def put_brand_context(caller: Writer, body: BrandContextInput, if_match: IfMatch, contexts: Uses) -> BrandContext:
    """Replace the given parts of the brand context; absent ones stay.

    `status` is `complete` with a summary, an adjective, and an item of `weAlways` or `weNever`. Lists have at most 50
    items of 300 characters, texts 20,000 characters (422 `validation_failed`). `promptBlock` is all of it as one text
    of less than 8,000 characters, which names what was cut. Landing pages are checked against it when a version is
    created, rendered or sent to QA: `balanced` warns of banned phrases and of claims without evidence, `strict` fails,
    also while the context is not complete.

    `asset_ids` replaces the brand files and takes the scope `assets:read`: at most 20 complete PDF assets of the shop
    that are not archived, in the order of `clientAssetExcerpts`. Another id is 422 with its path, `asset_ids[2]`; one
    that the context has already is not checked again. A job reads each file that has no excerpt yet, and again one that
    could not be read. Until its end, which changes the version, an excerpt is `(being read)`; afterwards one without
    text is `(cannot be read: …)` with the reason. 20 changes an hour may need a job (429 `rate_limited`).
    """
    return contexts.update(caller, body, if_match)
