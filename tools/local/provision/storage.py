"""S3 buckets; lifecycle, encryption and policies have no meaning on one machine and are left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from mypy_boto3_s3.client import S3Client


def ensure(client: S3Client, name: str, properties: dict[str, Any]) -> None:
    """Create the bucket unless it exists, with the versioning that the template asks for."""
    try:
        client.head_bucket(Bucket=name)
    except ClientError:
        client.create_bucket(Bucket=name)
    status = (properties.get("VersioningConfiguration") or {}).get("Status")
    if status:
        client.put_bucket_versioning(Bucket=name, VersioningConfiguration={"Status": status})
