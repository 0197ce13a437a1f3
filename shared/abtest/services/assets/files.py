"""Uploaded file to stored file: type, name, content without what is hidden in it, sizes, renditions."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from abtest.domain.assets import types
from abtest.domain.assets.containers import require_structure
from abtest.domain.assets.errors import InvalidAssetError
from abtest.domain.assets.model import Asset, StoredRendition, completed
from abtest.domain.assets.names import file_name
from abtest.domain.assets.signatures import recognized
from abtest.domain.assets.svg import MAX_SVG_BYTES, sanitised
from abtest.domain.assets.types import MAX_FILE_BYTES, MAX_PIXELS, AssetType, Kind, require_agreement
from abtest.ports.asset_files import AssetFiles
from abtest.ports.images import ImageCodec, Rendition


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedFile:
    """File as it is stored and served. `removed` names what a sanitised SVG lost."""

    asset_type: AssetType
    file_name: str
    content: bytes
    width: int | None = None
    height: int | None = None
    renditions: tuple[Rendition, ...] = ()
    removed: tuple[str, ...] = ()


def prepared(codec: ImageCodec, content: bytes, given_name: str, declared: str | None = None) -> PreparedFile:
    """Return what is stored of an upload. Raises UnsupportedAssetTypeError or InvalidAssetError."""
    if len(content) > MAX_FILE_BYTES:
        raise InvalidAssetError(f"the file has more than {MAX_FILE_BYTES >> 20} MiB")
    asset_type = recognized(content)
    require_agreement(asset_type, given_name, declared)
    name = file_name(given_name, asset_type)
    if asset_type.kind is Kind.CONTAINER:
        require_structure(asset_type, content)
        return PreparedFile(asset_type=asset_type, file_name=name, content=content)
    return _vector(codec, content, name) if asset_type.kind is Kind.VECTOR else _raster(codec, content, name)


def put_file(files: AssetFiles, asset: Asset, file: PreparedFile) -> Mapping[str, Any]:
    """Store the objects of an asset, and return the fields of its record about them. May be repeated."""
    learned = {
        "size_bytes": len(file.content),
        "sha256": sha256(file.content).hexdigest(),
        "width": file.width,
        "height": file.height,
        "renditions": tuple(StoredRendition(width=each.width, height=each.height) for each in file.renditions),
    }
    stored = completed(asset, learned, asset.updated_at)
    disposition = "attachment" if file.asset_type.is_attachment else None
    for each in file.renditions:
        files.put(stored.rendition_key(each.width), each.content, content_type="image/webp")
    files.put(stored.file_key, file.content, content_type=stored.mime_type, disposition=disposition)
    return learned


def _raster(codec: ImageCodec, content: bytes, name: str) -> PreparedFile:
    cleaned = codec.clean(content)
    if len(cleaned) > MAX_FILE_BYTES:  # a palette or a strong compression of the upload may be lost
        raise InvalidAssetError(
            f"the file is an image of more than {MAX_FILE_BYTES >> 20} MiB once its metadata is removed"
        )
    info = codec.inspect(cleaned)
    return PreparedFile(
        asset_type=info.asset_type,
        file_name=name,
        content=cleaned,
        width=info.width,
        height=info.height,
        renditions=codec.renditions(cleaned),
    )


def _vector(codec: ImageCodec, content: bytes, name: str) -> PreparedFile:
    document = sanitised(content, _EmbeddedImages(codec).clean)
    if len(document.content) > MAX_SVG_BYTES:  # escapes are longer than what they stand for
        raise InvalidAssetError(
            f"the file is an SVG image of more than {MAX_SVG_BYTES >> 20} MiB once it is written again"
        )
    return PreparedFile(
        asset_type=types.SVG,
        file_name=name,
        content=document.content,
        width=document.width,
        height=document.height,
        removed=document.removed,
    )


class _EmbeddedImages:
    """Images of one document, which together have no more pixels than a single picture may have."""

    def __init__(self, codec: ImageCodec) -> None:
        self._codec = codec
        self._pixels = 0

    def clean(self, content: bytes) -> bytes:
        """Return an embedded image without its metadata."""
        info = self._codec.inspect(content)
        self._pixels += info.width * info.height * info.frames
        if self._pixels > MAX_PIXELS:
            limit = MAX_PIXELS // 10**6
            raise InvalidAssetError(f"the file is an SVG image whose embedded images have more than {limit} megapixels")
        return self._codec.clean(content)
