"""Implementations of the ports on DynamoDB, S3, SQS, KMS, Secrets Manager, Athena, DuckDB and sockets."""
