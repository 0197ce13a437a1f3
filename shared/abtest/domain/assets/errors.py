"""Refusals of uploaded files."""

from abtest.kit.errors import FieldError, ServiceError, ValidationFailedError

CONTENT = "content"
FILE_NAME = "file_name"
MIME_TYPE = "mime_type"


class UnsupportedAssetTypeError(ServiceError):
    """File of a type that is not accepted, or whose bytes, name and declared type disagree."""

    status = 422
    code = "unsupported_asset_type"

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}", fields=[FieldError(path, message)])


class InvalidAssetError(ValidationFailedError):
    """File of an accepted type that is damaged, too large, or carries more than its type allows."""

    def __init__(self, message: str, path: str = CONTENT) -> None:
        super().__init__(f"{path}: {message}", fields=[FieldError(path, message)])
