"""Asset: an uploaded file of a shop, its states, and the keys of its objects. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Literal

from abtest.domain.assets.facts import AssetFacts
from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.domain.jobs.model import GIVEN_UP, KEPT
from abtest.kit.clock import Timestamp, later

AssetStatus = Literal["uploading", "ready"]

MAX_ASSETS = 10_000
"""Assets of a shop, archived and incomplete ones included."""

MAX_SHOP_BYTES = 5_000_000_000
"""Uploaded bytes of a shop's assets together."""

MAX_DIRECT_BYTES = 3 << 20
"""File that fits into the body of a request; larger ones are uploaded to a signed address."""

UPLOAD_TIME = timedelta(minutes=15)
"""Validity of a signed address for an upload."""

COMPLETION_TIME = timedelta(hours=24)
"""Time in which an asset may be completed."""

ABANDONED_AFTER = timedelta(hours=25)
"""Age at which an incomplete asset is removed. No completion runs then: the last may begin an hour before."""

KEPT_WITH_JOB = GIVEN_UP + KEPT
"""Age at which a picture that a job made goes. No job is kept for longer: one ends within a day or never began."""

KEPT_AFTER_DELETION = timedelta(days=30)
"""Time for which the objects of a deleted asset are kept, because pages that were exported or cached show them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRendition:
    """Picture in a smaller width, as WebP."""

    width: int
    height: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetUse:
    """Resource that uses an asset: its kind in the catalog, and its id."""

    kind: str
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeBy:
    """Job that made a picture. `shown_by` is the resource that may show the picture after the job was deleted."""

    job_id: str
    shown_by: AssetUse | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """One asset of a shop. Its objects exist once it is `ready`, and never change.

    `file_name` and `mime_type` are those announced until then. `uploaded_bytes` and `upload_sha256` are about the file
    as it was uploaded, `size_bytes` and `sha256` about the stored one. `used_by` has every page that ever used it.
    One with `made_by` goes with its job, unless something shows it then.
    """

    id: str
    shop_id: str
    version: int = 0
    name: str
    status: AssetStatus = "uploading"
    file_name: str
    mime_type: str
    size_bytes: int
    uploaded_bytes: int
    upload_sha256: str
    sha256: str | None = None
    width: int | None = None
    height: int | None = None
    renditions: tuple[StoredRendition, ...] = ()
    used_by: tuple[AssetUse, ...] = ()
    made_by: MadeBy | None = None
    created_by: str | None = None
    archived_at: Timestamp | None = None
    archived_by: str | None = None
    created_at: Timestamp
    updated_at: Timestamp

    @property
    def is_usable(self) -> bool:
        """Return whether new pages may show it."""
        return self.status == "ready" and self.archived_at is None

    @property
    def file_key(self) -> str:
        """Return the key of the stored file."""
        return f"{self._folder}/{self.file_name}"

    def rendition_key(self, width: int) -> str:
        """Return the key of a rendition. No file has such a name (`names.file_name`)."""
        return f"{self._folder}/w{width}.webp"

    @property
    def _folder(self) -> str:
        return f"{prefix_of(self.id)}{(self.sha256 or '')[:16]}"


def prefix_of(asset_id: str) -> str:
    """Return how the keys of an asset's objects begin."""
    return f"a/{asset_id}/"


def upload_key(asset_id: str) -> str:
    """Return the key of an uploaded file that was not examined yet."""
    return f"uploads/{asset_id}"


def facts_of(asset: Asset, origin: str) -> AssetFacts:
    """Return what a page needs to show the asset at an origin.

    A still picture that is too large to be answered by a function is shown in its largest rendition: a redirect to the
    bucket would leave the origin, which a page's policy forbids.
    """
    addresses = tuple((each.width, f"{origin}/{asset.rendition_key(each.width)}") for each in asset.renditions)
    shown = AssetFacts(
        id=asset.id,
        mime_type=asset.mime_type,
        url=f"{origin}/{asset.file_key}",
        title=asset.name,
        size_bytes=asset.size_bytes,
        width=asset.width,
        height=asset.height,
        renditions=addresses,
    )
    if not (addresses and shown.is_in_parts):
        return shown
    largest = asset.renditions[-1]
    return replace(shown, url=addresses[-1][1], width=largest.width, height=largest.height)


def refuse_late(asset: Asset, now: Timestamp) -> None:
    """Raise InvalidStateTransitionError for an asset that is too old to be completed."""
    if now > later(asset.created_at, COMPLETION_TIME):
        raise InvalidStateTransitionError("complete", asset.status, ["delete"], "expired", "asset")


def completed(asset: Asset, learned: Mapping[str, Any], now: Timestamp) -> Asset:
    """Return the asset with what is known of its stored file; a complete one stays as it is."""
    return asset if asset.status == "ready" else replace(asset, **learned, status="ready", updated_at=now)


def edited(asset: Asset, changes: Mapping[str, Any], now: Timestamp) -> Asset:
    """Return the asset with these fields; the same one when nothing differs."""
    after = replace(asset, **changes)
    return asset if after == asset else replace(after, updated_at=now)


def archived(asset: Asset, user_id: str, now: Timestamp) -> Asset:
    """Return the asset hidden from lists and refused to new pages."""
    return asset if asset.archived_at else replace(asset, archived_at=now, archived_by=user_id, updated_at=now)


def unarchived(asset: Asset, now: Timestamp) -> Asset:
    """Return the asset in use again."""
    return replace(asset, archived_at=None, archived_by=None, updated_at=now) if asset.archived_at else asset


def kept(asset: Asset) -> Asset:
    """Return a picture that a job made as an asset like any other, which stays until it is deleted."""
    return replace(asset, made_by=None)


def used_by(asset: Asset, use: AssetUse) -> Asset:
    """Return the asset with another user. It is not a change that people make, so `updated_at` stays."""
    return asset if use in asset.used_by else replace(asset, version=asset.version + 1, used_by=(*asset.used_by, use))
