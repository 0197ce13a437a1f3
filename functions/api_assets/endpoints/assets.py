"""Routes of assets."""

from typing import Annotated

from fastapi import Query

from abtest.contract.assets import Asset, AssetCreate, AssetCreated, AssetUpdate
from abtest.contract.base import ListOf
from abtest.contract.errors import AssetInUseEnvelope, InvalidStateTransitionEnvelope
from abtest.domain.assets.errors import UnsupportedAssetTypeError
from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.http.deps import Caller, IfMatch, Page, PathId, carries_code, confidential, require, use
from abtest.http.listing import NarrowedOrArchived
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.assets.assets import Assets
from abtest.services.assets.uploads import AssetUploads
from abtest.services.assets.uses import AssetInUseError

Reader = Annotated[Caller, require("assets:read")]
Writer = Annotated[Caller, require("assets:write")]
Uses = Annotated[Assets, use(Assets)]
Uploads = Annotated[AssetUploads, use(AssetUploads)]

router = Router("/assets", tag="Assets")


@router.get("", operation_id="listAssets", responses=errors(LimitReachedError))
def list_assets(
    caller: Reader,
    page: Page,
    assets: Uses,
    filters: NarrowedOrArchived,
    mime_type: Annotated[str | None, Query(max_length=100, description="Only assets of this type.")] = None,
) -> ListOf[Asset]:
    """List assets, newest first, incomplete ones included. `q` is about name and file name."""
    chosen = filters.where(mime_type=mime_type)
    items, last = assets.page(caller.shop_id, chosen, limit=page.limit, after=page.after)
    return page.page([Asset.of(item, assets.origin) for item in items], last)


@router.post(
    "",
    operation_id="createAsset",
    status_code=201,
    responses=errors(UnsupportedAssetTypeError, ValidationFailedError, LimitReachedError),
)
@confidential
@carries_code
def create_asset(body: AssetCreate, caller: Writer, uploads: Uploads) -> AssetCreated:
    """Upload an asset of at most 3 MiB, or announce one of at most 20 MiB, which is uploaded to `upload.url`.

    The bytes decide about the type; the extension of `file_name` and `mime_type` must agree (422
    `unsupported_asset_type`). Accepted are png, jpeg, gif, webp, avif, svg, mp4, webm, woff2 and pdf. PNG and JPEG lose
    their metadata, SVG every script. A shop has at most 10,000 assets and 5 GB (422 `limit_reached`).

    Send an announced file by PUT with all of `upload.headers` within 15 minutes, then call `complete`. Until then the
    asset cannot be used, and after a day it is removed.
    """
    return uploads.create(caller, body.provided())


@router.get("/{asset_id}", operation_id="getAsset", responses=errors(NotFoundError))
def get_asset(asset_id: PathId, caller: Reader, assets: Uses) -> Asset:
    """Return one asset."""
    return Asset.of(assets.get(caller.shop_id, asset_id), assets.origin)


@router.patch("/{asset_id}", operation_id="updateAsset", responses=errors(NotFoundError))
def update_asset(asset_id: PathId, body: AssetUpdate, caller: Writer, assets: Uses, if_match: IfMatch) -> Asset:
    """Change the name of an asset. The file and its address never change."""
    saved = assets.update(caller, asset_id, body.provided(), expected_version=if_match)
    return Asset.of(saved.value, assets.origin)


@router.delete(
    "/{asset_id}",
    operation_id="deleteAsset",
    status_code=204,
    responses=errors(NotFoundError, AssetInUseError, s409=AssetInUseEnvelope),
)
def delete_asset(asset_id: PathId, caller: Writer, assets: Uses, if_match: IfMatch) -> None:
    """Delete an asset that is not in use. Otherwise 409 `asset_in_use`, which names up to five users.

    Landing pages use it, and experiments, personalizations and flags that are not archived and have its id in their
    code or values.

    Its address keeps answering for 30 days, for pages that were exported.
    """
    assets.delete(caller, asset_id, expected_version=if_match)


@router.post(
    "/{asset_id}/complete",
    operation_id="completeAsset",
    responses=errors(
        NotFoundError,
        InvalidStateTransitionError,
        UnsupportedAssetTypeError,
        ValidationFailedError,
        s409=InvalidStateTransitionEnvelope,
    ),
)
def complete_asset(asset_id: PathId, caller: Writer, uploads: Uploads, if_match: IfMatch) -> Asset:
    """Complete an asset after its file was uploaded: its size, SHA-256 and type are checked, and it gets its address.

    May be repeated. A file that is refused may be uploaded again while `upload.url` is valid. An asset that was
    announced more than a day ago is 409 `invalid_state_transition`.
    """
    return uploads.complete(caller, asset_id, expected_version=if_match)


@router.post("/{asset_id}/archive", operation_id="archiveAsset", responses=errors(NotFoundError))
def archive_asset(asset_id: PathId, caller: Writer, assets: Uses, if_match: IfMatch) -> Asset:
    """Archive an asset: lists hide it, new versions of pages cannot use it. Its address keeps answering."""
    return Asset.of(assets.set_archived(caller, asset_id, True, expected_version=if_match).value, assets.origin)


@router.post("/{asset_id}/unarchive", operation_id="unarchiveAsset", responses=errors(NotFoundError))
def unarchive_asset(asset_id: PathId, caller: Writer, assets: Uses, if_match: IfMatch) -> Asset:
    """Take an asset out of the archive."""
    return Asset.of(assets.set_archived(caller, asset_id, False, expected_version=if_match).value, assets.origin)
