"""Clients of the engine, made in one place with the one set of made-up credentials."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

from tools.local.template.intrinsics import REGION

if TYPE_CHECKING:
    from mypy_boto3_athena.client import AthenaClient
    from mypy_boto3_dynamodb.client import DynamoDBClient
    from mypy_boto3_glue.client import GlueClient
    from mypy_boto3_kms.client import KMSClient
    from mypy_boto3_s3.client import S3Client
    from mypy_boto3_secretsmanager.client import SecretsManagerClient
    from mypy_boto3_sqs.client import SQSClient

CREDENTIALS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}


class Clients:
    """One client a service, made when first used and safe to share between threads.

    An access key id of twelve digits is an account of its own; without an endpoint the calls go to AWS, or to what
    replaces it in this process.
    """

    def __init__(self, endpoint: str | None, access_key_id: str = CREDENTIALS["AWS_ACCESS_KEY_ID"]) -> None:
        self._endpoint = endpoint
        self._session = boto3.Session(
            aws_access_key_id=access_key_id,
            aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
            region_name=REGION,
        )
        self._config = Config(max_pool_connections=32, connect_timeout=2, retries={"total_max_attempts": 2})

    @cached_property
    def dynamodb(self) -> DynamoDBClient:
        client: DynamoDBClient = self._session.client("dynamodb", endpoint_url=self._endpoint, config=self._config)
        return client

    @cached_property
    def s3(self) -> S3Client:
        client: S3Client = self._session.client("s3", endpoint_url=self._endpoint, config=self._config)
        return client

    @cached_property
    def sqs(self) -> SQSClient:
        client: SQSClient = self._session.client("sqs", endpoint_url=self._endpoint, config=self._config)
        return client

    @cached_property
    def kms(self) -> KMSClient:
        client: KMSClient = self._session.client("kms", endpoint_url=self._endpoint, config=self._config)
        return client

    @cached_property
    def secrets(self) -> SecretsManagerClient:
        client: SecretsManagerClient = self._session.client(
            "secretsmanager", endpoint_url=self._endpoint, config=self._config
        )
        return client

    @cached_property
    def athena(self) -> AthenaClient:
        client: AthenaClient = self._session.client("athena", endpoint_url=self._endpoint, config=self._config)
        return client

    @cached_property
    def glue(self) -> GlueClient:
        client: GlueClient = self._session.client("glue", endpoint_url=self._endpoint, config=self._config)
        return client
