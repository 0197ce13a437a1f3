"""Objects on S3."""

from abtest.adapters.s3.blobs import S3Blobs

__all__ = ["S3Blobs"]
