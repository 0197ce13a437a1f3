"""Use cases of files: uploaded with the request, or to a signed address and then completed.

A note (`trash.py`) is stored before any object, so that no object is lost. An asset is `ready` once all are stored.
"""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from abtest.contract import assets as wire
from abtest.domain.assets.errors import InvalidAssetError
from abtest.domain.assets.model import UPLOAD_TIME, Asset, completed, refuse_late, upload_key
from abtest.domain.assets.names import file_name
from abtest.domain.assets.types import MAX_FILE_BYTES, require_agreement, type_of_name
from abtest.domain.changes.change import Change, Occasion
from abtest.kit.clock import later
from abtest.kit.errors import refused
from abtest.ports.asset_files import AssetFiles, SigningUnavailableError
from abtest.ports.images import ImageCodec
from abtest.services.assets.assets import Assets
from abtest.services.assets.files import prepared, put_file
from abtest.services.assets.quota import QUOTA_ATTEMPTS, refuse_full
from abtest.services.assets.trash import first_note
from abtest.services.context import Caller
from abtest.services.retries import Versions, refuse_other_version


class AssetUploads:
    """Uploads of the shops' assets."""

    def __init__(self, assets: Assets, files: AssetFiles, codec: ImageCodec) -> None:
        self._assets = assets
        self._files = files
        self._codec = codec

    def create(self, caller: Caller, fields: Mapping[str, Any]) -> wire.AssetCreated:
        """Store an asset with its file, or announce one.

        Raises ValidationFailedError, UnsupportedAssetTypeError, LimitReachedError, BlobsUnavailableError.
        """
        announced = [name for name in ("size_bytes", "sha256") if name in fields]
        if "content_base64" not in fields:
            if len(announced) < 2:
                raise refused("content_base64", "send this field, or both of size_bytes and sha256")
            return self._announce(caller, fields)
        if announced:
            raise refused(announced[0], "is for a file that is uploaded later; leave it out with content_base64")
        return wire.AssetCreated.of(self._stored(caller, fields, fields["content_base64"]), self._assets.origin)

    def complete(self, caller: Caller, asset_id: str, *, expected_version: Versions = None) -> wire.Asset:
        """Examine an uploaded file, and store what may be served. A complete asset stays as it is.

        Raises NotFoundError, VersionConflictError, InvalidStateTransitionError, UnsupportedAssetTypeError,
        InvalidAssetError, BlobsUnavailableError.
        """
        world = self._assets.world
        mark = world.audit_row_id()
        asset = self._assets.get(caller.shop_id, asset_id)
        # Here and not only with the change, so that no file is stored for a request that is refused.
        if not world.is_stored(caller.shop_id, mark):
            refuse_other_version(expected_version, asset.version)
        if asset.status == "uploading":
            refuse_late(asset, world.now())
            asset = self._completed(caller, asset, expected_version, mark)
        return wire.Asset.of(asset, self._assets.origin)

    def _announce(self, caller: Caller, fields: Mapping[str, Any]) -> wire.AssetCreated:
        size, sha256_hex, seconds = fields["size_bytes"], fields["sha256"], int(UPLOAD_TIME.total_seconds())
        if size > MAX_FILE_BYTES:
            raise InvalidAssetError(f"must be at most {MAX_FILE_BYTES} (20 MiB)", "size_bytes")
        asset = self._add(caller, fields, size, sha256_hex)
        expires_at = later(self._assets.world.now(), UPLOAD_TIME)
        try:
            signed = self._files.sign_upload(
                upload_key(asset.id), size=size, content_type=asset.mime_type, sha256_hex=sha256_hex, seconds=seconds
            )
        except SigningUnavailableError:
            return wire.AssetCreated.announced(asset, self._assets.origin, None)
        upload = wire.Upload(url=signed.url, headers=signed.headers, expires_at=expires_at)
        return wire.AssetCreated.announced(asset, self._assets.origin, upload)

    def _stored(self, caller: Caller, fields: Mapping[str, Any], content: bytes) -> Asset:
        """An asset with its objects: first a note of them, then the objects, then the record."""
        world = self._assets.world
        file = prepared(self._codec, content, fields["file_name"], fields.get("mime_type"))
        asset_id = world.new_id()
        if earlier := self._assets.earlier(caller.shop_id, asset_id):
            return earlier.value
        draft = self._draft(caller, asset_id, fields, len(content), sha256(content).hexdigest())
        refuse_full(world.catalog, caller.shop_id, len(content), world.now())
        if not (world.is_repeated and world.catalog.get(caller.shop_id, "TRASH", asset_id)):
            world.catalog.commit(first_note(draft, world.now()))
        learned = put_file(self._files, draft, file)

        def make(occasion: Occasion) -> Asset:
            return completed(replace(draft, created_at=occasion.now), learned, occasion.now)

        return self._assets.add(caller, asset_id, make, attempts=QUOTA_ATTEMPTS).value

    def _add(self, caller: Caller, fields: Mapping[str, Any], size: int, sha256_hex: str) -> Asset:
        draft = self._draft(caller, self._assets.world.new_id(), fields, size, sha256_hex)

        def make(occasion: Occasion) -> Asset:
            return replace(draft, created_at=occasion.now, updated_at=occasion.now)

        return self._assets.add(caller, draft.id, make, attempts=QUOTA_ATTEMPTS).value

    def _draft(self, caller: Caller, asset_id: str, fields: Mapping[str, Any], size: int, sha256_hex: str) -> Asset:
        asset_type = type_of_name(fields["file_name"])
        require_agreement(asset_type, fields["file_name"], fields.get("mime_type"))
        stored_name, now = file_name(fields["file_name"], asset_type), self._assets.world.now()
        return Asset(
            id=asset_id,
            shop_id=caller.shop_id,
            name=fields.get("name", stored_name),
            file_name=stored_name,
            mime_type=asset_type.mime_type,
            size_bytes=size,
            uploaded_bytes=size,
            upload_sha256=sha256_hex,
            created_by=caller.user_id,
            created_at=now,
            updated_at=now,
        )

    def _completed(self, caller: Caller, asset: Asset, expected_version: Versions, mark: str | None) -> Asset:
        content = self._files.upload(upload_key(asset.id))
        if content is None:
            # Another request may have completed the asset, and then removed the upload.
            present = self._assets.get(caller.shop_id, asset.id)
            if present.status == "ready":
                return present
            raise InvalidAssetError("nothing was uploaded yet; send the file to the address of the upload first")
        _refuse_other_content(asset, content)
        learned = put_file(self._files, asset, prepared(self._codec, content, asset.file_name, asset.mime_type))

        def decide(before: Asset, occasion: Occasion) -> Change[Asset]:
            return Change(before=before, after=completed(before, learned, occasion.now), action="asset.complete")

        ready = self._assets.change(caller, asset.id, decide, expected_version=expected_version, row_id=mark).value
        self._files.delete(upload_key(asset.id))
        return ready


def _refuse_other_content(asset: Asset, content: bytes) -> None:
    """Raise InvalidAssetError unless these are the announced bytes."""
    if len(content) != asset.uploaded_bytes:
        raise InvalidAssetError(f"the upload has {len(content)} bytes, not {asset.uploaded_bytes}", "size_bytes")
    if sha256(content).hexdigest() != asset.upload_sha256:
        raise InvalidAssetError("the upload has another SHA-256 than announced", "sha256")
