"""Uploaded files in a bucket of S3."""

from base64 import b64encode
from collections.abc import Iterator
from typing import Any, Literal

from botocore.exceptions import BotoCoreError, ClientError

from abtest.adapters import aws
from abtest.adapters.s3.blobs import ABSENT, S3Blobs, checked, code_of
from abtest.ports.asset_files import OpenedFile, RangeNotSatisfiableError, SignedUpload, SigningUnavailableError

IMMUTABLE = "public, max-age=31536000, immutable"


class S3AssetFiles:
    """Files in one bucket, with the headers of later responses: a signed address, or a CDN, answers with those."""

    def __init__(self, bucket: str) -> None:
        self._bucket = bucket
        self._blobs = S3Blobs(bucket)

    def put(self, key: str, content: bytes, *, content_type: str, disposition: str | None = None) -> None:
        request: dict[str, Any] = {"Body": content, "ContentType": content_type, "CacheControl": IMMUTABLE}
        if disposition:
            request["ContentDisposition"] = disposition
        checked(lambda: aws.s3().put_object(Bucket=self._bucket, Key=key, **request))

    def upload(self, key: str) -> bytes | None:
        blob = self._blobs.get(key)
        return None if blob is None else blob.content

    def delete(self, key: str) -> None:
        self._blobs.delete(key)

    def keys(self, prefix: str) -> Iterator[str]:
        return (entry.key for entry in self._blobs.list(prefix))

    def sign_upload(self, key: str, *, size: int, content_type: str, sha256_hex: str, seconds: int) -> SignedUpload:
        """Sign without a call. The store refuses other lengths, types and contents; it expires with the credentials."""
        digest = b64encode(bytes.fromhex(sha256_hex)).decode()
        parameters = {
            "Bucket": self._bucket,
            "Key": key,
            "ContentLength": size,
            "ContentType": content_type,
            "ChecksumSHA256": digest,
        }
        try:
            url = aws.s3_signer().generate_presigned_url("put_object", Params=parameters, ExpiresIn=seconds)
        except BotoCoreError as error:
            raise SigningUnavailableError from error
        headers = {"Content-Type": content_type, "Content-Length": str(size), "x-amz-checksum-sha256": digest}
        return SignedUpload(url=url, headers=headers)

    def open(self, key: str, first: int | None, last: int | None) -> OpenedFile | None:
        span = f"bytes={'' if first is None else first}-{'' if last is None else last}"
        try:
            answer = checked(lambda: aws.s3().get_object(Bucket=self._bucket, Key=key, Range=span))
        except ClientError as error:
            if code_of(error) in ABSENT:
                return None
            if code_of(error) == "InvalidRange":
                raise RangeNotSatisfiableError(self._size(key)) from error
            raise
        # `bytes 0-99/1234`
        places, _, size = answer["ContentRange"].removeprefix("bytes ").partition("/")
        start, _, end = places.partition("-")
        body = answer["Body"]
        return OpenedFile(
            content_type=answer["ContentType"],
            disposition=answer.get("ContentDisposition"),
            first=int(start),
            last=int(end),
            size=int(size),
            read=lambda: checked(body.read),
            close=body.close,
        )

    def sign_read(self, key: str, method: Literal["GET", "HEAD"], *, seconds: int) -> str:
        operation = "get_object" if method == "GET" else "head_object"
        parameters = {"Bucket": self._bucket, "Key": key}
        return aws.s3_signer().generate_presigned_url(operation, Params=parameters, ExpiresIn=seconds)

    def _size(self, key: str) -> int:
        return checked(lambda: aws.s3().head_object(Bucket=self._bucket, Key=key)["ContentLength"])
