"""Assets on the wire."""

from base64 import b64decode
from binascii import Error as DecodeError
from collections.abc import Mapping
from typing import Annotated, Any, Self

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError, PydanticKnownError

from abtest.contract.base import ABSENT, Confidential, DateTime, Id, Input, Output
from abtest.contract.hashes import Sha256
from abtest.contract.names import READABLE, Label
from abtest.domain.assets.model import MAX_DIRECT_BYTES
from abtest.domain.assets.model import Asset as Aggregate

MAX_BASE64 = (MAX_DIRECT_BYTES + 2) // 3 * 4

_EXAMPLE: dict[str, Any] = {
    "name": "Copper trowel",
    "file_name": "trowel.svg",
    "content_base64": (
        "PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCA4IDgiPjxwYXRoIGQ9Ik0wIDBoOHY4eiIvPjwvc3ZnPg=="
    ),
}


def decoded(value: Any) -> Any:
    """Return the bytes of base 64. Raises PydanticCustomError; any other value than a text is refused by its type."""
    if not isinstance(value, str):
        raise PydanticKnownError("string_type")
    if len(value) > MAX_BASE64:
        raise PydanticCustomError(
            "base64_too_long",
            "must have at most 3 MiB once decoded; send size_bytes and sha256 instead to upload a larger file",
        )
    try:
        return b64decode(value, validate=True)
    except (DecodeError, ValueError) as error:
        raise PydanticCustomError("base64", "must be base 64 (RFC 4648, with padding, without line breaks)") from error


Base64 = Annotated[
    bytes,
    BeforeValidator(decoded),
    WithJsonSchema(
        {"type": "string", "contentEncoding": "base64", "maxLength": MAX_BASE64, "pattern": "^[A-Za-z0-9+/]*={0,2}$"}
    ),
]
FileName = Annotated[str, Field(min_length=1, max_length=255), READABLE]
MimeType = Annotated[str, Field(min_length=1, max_length=100), READABLE]


class AssetCreate(Input):
    """A new asset: either `content_base64`, or `size_bytes` and `sha256` of a file that is uploaded afterwards."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    name: Label = ABSENT
    file_name: FileName
    mime_type: MimeType = ABSENT
    content_base64: Base64 = ABSENT
    size_bytes: Annotated[int, Field(ge=1)] = ABSENT
    sha256: Sha256 = ABSENT


class AssetUpdate(Input):
    """Changes to an asset."""

    name: Label = ABSENT


class Upload(Output):
    """Where to send the file: one PUT with these headers, before `expires_at`."""

    url: Annotated[str, Confidential()]
    headers: Mapping[str, str]
    expires_at: DateTime


class Asset(Output):
    """A file of the shop. `public_url` is null until the file was uploaded and completed."""

    id: Id
    name: str
    file_name: str
    mime_type: str
    size_bytes: int
    public_url: str | None
    url_error: str = ABSENT
    created_at: DateTime
    updated_at: DateTime
    archived_at: DateTime | None
    archived_by: str | None

    @classmethod
    def of(cls, asset: Aggregate, origin: str) -> Self:
        """Return the response of an asset that is served at an origin."""
        return cls(**_fields(asset, origin)).at(asset.version)


class AssetCreated(Asset):
    """The new asset. `upload` is present when its file is to be uploaded."""

    upload: Upload = ABSENT

    @classmethod
    def announced(cls, asset: Aggregate, origin: str, upload: Upload | None) -> Self:
        """Return the response of an asset whose file is to be uploaded."""
        rest = {"upload": upload} if upload else {"url_error": "the address for the upload could not be signed"}
        return cls(**_fields(asset, origin), **rest).at(asset.version)


def _fields(asset: Aggregate, origin: str) -> dict[str, Any]:
    shown = {name: getattr(asset, name) for name in Asset.model_fields if name not in ("public_url", "url_error")}
    return {**shown, "public_url": f"{origin}/{asset.file_key}" if asset.status == "ready" else None}
