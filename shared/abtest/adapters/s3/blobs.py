"""A bucket of S3."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from abtest.adapters import aws
from abtest.kit.clock import to_milliseconds
from abtest.ports.blobs import Blob, BlobEntry, BlobsUnavailableError, PreconditionFailedError

T = TypeVar("T")

_ABSENT = {"NoSuchKey", "404"}
# 412: the condition does not hold. 409: another conditional write to the key was faster. 404: If-Match on nothing.
_CONDITION_FAILED = {"PreconditionFailed", "412", "ConditionalRequestConflict", "409"} | _ABSENT


class S3Blobs:
    """Blobs in one bucket. To tell "absent" from "forbidden" S3 wants `s3:ListBucket` on the bucket."""

    def __init__(self, bucket: str) -> None:
        self._bucket = bucket

    def get(self, key: str) -> Blob | None:
        def read() -> Blob:
            found = aws.s3().get_object(Bucket=self._bucket, Key=key)
            return Blob(content=found["Body"].read(), etag=found["ETag"], metadata=found["Metadata"])

        try:
            return _answered(read)
        except ClientError as error:
            if _code(error) in _ABSENT:
                return None
            raise

    def put(
        self,
        key: str,
        content: bytes,
        *,
        content_type: str,
        metadata: Mapping[str, str] | None = None,
        if_match: str | None = None,
        if_absent: bool = False,
    ) -> str:
        request: dict[str, Any] = {"Body": content, "ContentType": content_type, "Metadata": dict(metadata or {})}
        if if_match is not None:
            request["IfMatch"] = if_match
        if if_absent:
            request["IfNoneMatch"] = "*"
        try:
            return _answered(lambda: aws.s3().put_object(Bucket=self._bucket, Key=key, **request)["ETag"])
        except ClientError as error:
            if (if_absent or if_match is not None) and _code(error) in _CONDITION_FAILED:
                raise PreconditionFailedError(key) from error
            raise

    def delete(self, key: str) -> None:
        _answered(lambda: aws.s3().delete_object(Bucket=self._bucket, Key=key))

    def list(self, prefix: str, *, after: str | None = None) -> Iterator[BlobEntry]:
        request: dict[str, Any] = {"Bucket": self._bucket, "Prefix": prefix}
        if after is not None:
            request["StartAfter"] = after
        pages = iter(aws.s3().get_paginator("list_objects_v2").paginate(**request))
        while page := _answered(lambda: next(pages, None)):
            for entry in page.get("Contents", ()):
                modified = to_milliseconds(entry["LastModified"])
                yield BlobEntry(key=entry["Key"], size=entry["Size"], modified=modified)


def _answered(call: Callable[[], T]) -> T:
    """The call's result. Raises BlobsUnavailableError when the store is silent or busy, ClientError otherwise."""
    try:
        return call()
    except ClientError as error:
        if _code(error) in aws.BUSY_CODES:
            _unavailable(error)
        raise
    except BotoCoreError as error:
        _unavailable(error)


def _unavailable(error: Exception) -> NoReturn:
    raise BlobsUnavailableError from error


def _code(error: ClientError) -> str:
    return error.response["Error"]["Code"]
