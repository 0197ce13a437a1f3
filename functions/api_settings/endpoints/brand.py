"""Routes of the brand context."""

from typing import Annotated

from abtest.contract.brand import BrandContext, BrandContextInput
from abtest.http.deps import Caller, IfMatch, require, use, versioned
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ValidationFailedError
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


@router.put("", operation_id="putBrandContext", responses=errors(ValidationFailedError))
@versioned
def put_brand_context(caller: Writer, body: BrandContextInput, if_match: IfMatch, contexts: Uses) -> BrandContext:
    """Replace the given parts of the brand context; absent ones stay.

    `status` is `complete` with a summary, an adjective, and an item of `weAlways` or `weNever`. Lists have at most 50
    items of 300 characters, texts 20,000 characters (422 `validation_failed`). `promptBlock` is all of it as one text
    of less than 8,000 characters, which names what was cut. Landing pages are checked against it when a version is
    created, rendered or sent to QA: `balanced` warns of banned phrases and of claims without evidence, `strict` fails,
    also while the context is not complete.
    """
    return contexts.update(caller, body, if_match)
