"""Leaves a trace in the table, so that a tick can be seen."""

import os

import boto3


def handler(event, _context):
    """Store the trace and return the event."""
    boto3.client("dynamodb").put_item(TableName=os.environ["TABLE"], Item={"pk": {"S": "rolled-up"}})
    return event
