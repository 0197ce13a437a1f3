"""Pictures that jobs make: stored as assets under ids that every attempt of the job derives again."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256

from abtest.domain.assets import types
from abtest.domain.assets.model import Asset, MadeBy, completed
from abtest.domain.assets.names import file_name
from abtest.domain.changes.change import Change
from abtest.ports.asset_files import AssetFiles
from abtest.ports.catalog import Commit
from abtest.ports.images import ImageCodec
from abtest.services.aggregates import NOTHING
from abtest.services.assets.files import prepared, put_file
from abtest.services.assets.quota import QUOTA_ATTEMPTS, refuse_full
from abtest.services.assets.records import AssetStore
from abtest.services.assets.trash import first_note
from abtest.services.context import World
from abtest.services.retries import retried


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """PNG image of a job, before it is stored. `name` is for people, `file_name` is the end of its address."""

    asset_id: str
    shop_id: str
    user_id: str
    name: str
    file_name: str
    png: bytes
    made_by: MadeBy


@dataclass(frozen=True, slots=True, kw_only=True)
class Pictures:
    """Store of the pictures that jobs make. A process may end at any line: the next attempt stores what is missing."""

    world: World
    files: AssetFiles
    codec: ImageCodec

    def refuse_full(self, shop_id: str) -> None:
        """Raise LimitReachedError for a shop without room for another picture."""
        refuse_full(self.world.catalog, shop_id, 1, self.world.now())

    def store(self, picture: Picture, extra: Callable[[Asset], Commit] = lambda _: NOTHING) -> Asset:
        """Store a picture, and commit `extra` about the asset with it or not at all.

        An asset that an earlier attempt stored stays as it is. Raises InvalidAssetError, LimitReachedError,
        BlobsUnavailableError and what `extra` raises.
        """
        if earlier := self._stored(picture):
            return earlier
        file = prepared(self.codec, picture.png, picture.file_name, types.PNG.mime_type)
        draft = self._draft(picture)
        refuse_full(self.world.catalog, picture.shop_id, draft.uploaded_bytes, self.world.now())
        retried(lambda: self._note(draft))
        asset = completed(draft, put_file(self.files, draft, file), draft.updated_at)

        def attempt() -> Asset:
            change = Change(
                before=None, after=asset, action="asset.create", note={"screenshot_job_id": picture.made_by.job_id}
            )
            return AssetStore(self.world).save(picture.user_id, change, extra(asset)).value

        return self._stored(picture) or retried(attempt, QUOTA_ATTEMPTS)

    def _stored(self, picture: Picture) -> Asset | None:
        store = AssetStore(self.world)
        return next(iter(store.get_many(picture.shop_id, [picture.asset_id])), None)

    def _note(self, draft: Asset) -> None:
        """Write the note of the objects, unless an earlier attempt did."""
        if self.world.catalog.get(draft.shop_id, "TRASH", draft.id) is None:
            self.world.catalog.commit(first_note(draft, self.world.now()))

    def _draft(self, picture: Picture) -> Asset:
        now, size = self.world.now(), len(picture.png)
        draft = Asset(
            id=picture.asset_id,
            shop_id=picture.shop_id,
            name=picture.name,
            file_name=file_name(picture.file_name, types.PNG),
            mime_type=types.PNG.mime_type,
            size_bytes=size,
            uploaded_bytes=size,
            upload_sha256=sha256(picture.png).hexdigest(),
            created_by=picture.user_id,
            created_at=now,
            updated_at=now,
        )
        return replace(draft, made_by=picture.made_by)
