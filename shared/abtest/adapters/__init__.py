"""The ports fulfilled: on DynamoDB, S3, SQS and Secrets Manager, and in memory for tests."""
