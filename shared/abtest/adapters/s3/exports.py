"""Export files in a bucket of S3: uploaded in parts, downloaded by presigned URLs."""

from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING

from botocore.exceptions import ClientError

from abtest.adapters import aws

if TYPE_CHECKING:
    from mypy_boto3_s3.type_defs import CompletedPartTypeDef

# S3 allows 10,000 parts of at least 5 MiB, so a file may have up to 156 GiB.
PART_BYTES = 16 * 1024 * 1024


class S3ExportStore:
    """Export files in one bucket."""

    def __init__(self, bucket: str) -> None:
        self._bucket = bucket

    def store(self, key: str, path: Path, *, content_type: str) -> Generator[int, None, None]:
        """Upload in parts. An abandoned upload is aborted; if that fails, the bucket's lifecycle rule removes it."""
        size = path.stat().st_size
        if size <= PART_BYTES:
            aws.s3().put_object(Bucket=self._bucket, Key=key, Body=path.read_bytes(), ContentType=content_type)
            yield size
            return
        upload_id = aws.s3().create_multipart_upload(Bucket=self._bucket, Key=key, ContentType=content_type)["UploadId"]
        try:
            yield from self._upload_parts(key, upload_id, path)
        except BaseException:  # GeneratorExit too, when the caller closes the generator
            aws.s3().abort_multipart_upload(Bucket=self._bucket, Key=key, UploadId=upload_id)
            raise

    def size(self, key: str) -> int | None:
        try:
            return aws.s3().head_object(Bucket=self._bucket, Key=key)["ContentLength"]
        except ClientError as error:
            # A response to HEAD has no body, so botocore uses the status as the code.
            if error.response["Error"]["Code"] in {"404", "NoSuchKey"}:
                return None
            raise

    def link(self, key: str, *, file_name: str, seconds: int) -> str:
        """Return a presigned URL, made without a call. It expires earlier if the signer's credentials do."""
        parameters = {
            "Bucket": self._bucket,
            "Key": key,
            "ResponseContentDisposition": f'attachment; filename="{file_name}"',
        }
        return aws.s3_signer().generate_presigned_url("get_object", Params=parameters, ExpiresIn=seconds)

    def _upload_parts(self, key: str, upload_id: str, path: Path) -> Generator[int, None, None]:
        stored: list[CompletedPartTypeDef] = []
        sent = 0
        with path.open("rb") as file:
            while part := file.read(PART_BYTES):
                number = len(stored) + 1
                answer = aws.s3().upload_part(
                    Bucket=self._bucket, Key=key, UploadId=upload_id, PartNumber=number, Body=part
                )
                stored.append({"PartNumber": number, "ETag": answer["ETag"]})
                sent += len(part)
                yield sent
        aws.s3().complete_multipart_upload(
            Bucket=self._bucket, Key=key, UploadId=upload_id, MultipartUpload={"Parts": stored}
        )
