"""Object store on a bucket of S3."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from abtest.adapters import aws
from abtest.kit.clock import to_milliseconds
from abtest.ports.blobs import Blob, BlobEntry, BlobsUnavailableError, PreconditionFailedError

T = TypeVar("T")

ABSENT = {"NoSuchKey", "404"}
"""Error codes of a key that does not exist."""
_NOT_SATISFIABLE = {"InvalidRange", "416"}
# 412: the condition does not hold. 409: another conditional write to the key came first. 404: If-Match without object.
_CONDITION_FAILED = {"PreconditionFailed", "412", "ConditionalRequestConflict", "409"} | ABSENT


class S3Blobs:
    """Blobs in one bucket. Needs `s3:ListBucket`: without it, S3 answers "forbidden" for an absent object."""

    def __init__(self, bucket: str) -> None:
        self._bucket = bucket

    def get(self, key: str) -> Blob | None:
        def read() -> Blob:
            # The body is read here, too, because reading it may fail as the call may.
            answer = aws.s3().get_object(Bucket=self._bucket, Key=key)
            return Blob(content=answer["Body"].read(), etag=answer["ETag"], metadata=answer["Metadata"])

        try:
            return checked(read)
        except ClientError as error:
            if code_of(error) in ABSENT:
                return None
            raise

    def part(self, key: str, offset: int, length: int) -> bytes | None:
        if offset < 0 or length < 1:
            raise ValueError("offset must be 0 or more and length 1 or more")

        def read() -> bytes:
            last = offset + length - 1
            return aws.s3().get_object(Bucket=self._bucket, Key=key, Range=f"bytes={offset}-{last}")["Body"].read()

        try:
            return checked(read)
        except ClientError as error:
            if code_of(error) in ABSENT:
                return None
            if code_of(error) in _NOT_SATISFIABLE:
                return b""
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
            return checked(lambda: aws.s3().put_object(Bucket=self._bucket, Key=key, **request)["ETag"])
        except ClientError as error:
            if (if_absent or if_match is not None) and code_of(error) in _CONDITION_FAILED:
                raise PreconditionFailedError(key) from error
            raise

    def delete(self, key: str) -> None:
        checked(lambda: aws.s3().delete_object(Bucket=self._bucket, Key=key))

    def list(self, prefix: str, *, after: str | None = None) -> Iterator[BlobEntry]:
        request: dict[str, Any] = {"Bucket": self._bucket, "Prefix": prefix}
        if after is not None:
            request["StartAfter"] = after
        pages = iter(aws.s3().get_paginator("list_objects_v2").paginate(**request))
        # Each page is a call that may fail; a `for` loop would leave its errors untranslated.
        while page := checked(lambda: next(pages, None)):
            for entry in page.get("Contents", ()):
                modified = to_milliseconds(entry["LastModified"])
                yield BlobEntry(key=entry["Key"], size=entry["Size"], modified=modified)


def checked(call: Callable[[], T]) -> T:
    """Return the call's result. Raises BlobsUnavailableError without a response or when throttled, else ClientError."""
    aws.s3()  # made before the deadline of the call begins
    try:
        return aws.called("s3", call)
    except ClientError as error:
        if code_of(error) in aws.BUSY_CODES:
            raise BlobsUnavailableError from error
        raise
    except BotoCoreError as error:
        raise BlobsUnavailableError from error


def code_of(error: ClientError) -> str:
    """Return the error code of S3."""
    return error.response["Error"]["Code"]
