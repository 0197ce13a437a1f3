"""What a batch of queue messages becomes, and what its answer means."""

from typing import Any

import pytest

from tools.local.triggers.queues import InvalidBatchResponseError, batch_event, failed_ids, within_limits

MESSAGE = {
    "MessageId": "m1",
    "ReceiptHandle": "r1",
    "Body": "hello",
    "MD5OfBody": "5d41402abc4b2a76b9719d911017c592",
    "Attributes": {"ApproximateReceiveCount": "1", "SentTimestamp": "1"},
    "MessageAttributes": {"kind": {"StringValue": "a", "DataType": "String"}},
}


def test_event__has_the_shape_of_sqs() -> None:
    (record,) = batch_event([MESSAGE], "jobs")["Records"]
    assert record == {
        "messageId": "m1",
        "receiptHandle": "r1",
        "body": "hello",
        "attributes": {"ApproximateReceiveCount": "1", "SentTimestamp": "1"},
        "messageAttributes": {
            "kind": {"stringValue": "a", "dataType": "String", "stringListValues": [], "binaryListValues": []}
        },
        "md5OfBody": "5d41402abc4b2a76b9719d911017c592",
        "eventSource": "aws:sqs",
        "eventSourceARN": "arn:aws:sqs:us-east-1:000000000000:jobs",
        "awsRegion": "us-east-1",
    }


@pytest.mark.parametrize("result", [None, {}, {"batchItemFailures": []}, {"batchItemFailures": None}, "done"])
def test_answer__without_failures_is_success(result: Any) -> None:
    assert failed_ids(result, [MESSAGE]) == set()


def test_answer__names_failures() -> None:
    assert failed_ids({"batchItemFailures": [{"itemIdentifier": "m1"}]}, [MESSAGE]) == {"m1"}


@pytest.mark.parametrize("failures", [[{"itemIdentifier": "other"}], [{"itemIdentifier": ""}], [{}], 5, ["m1"]])
def test_answer__that_makes_no_sense_fails_the_batch(failures: Any) -> None:
    with pytest.raises(InvalidBatchResponseError):
        failed_ids({"batchItemFailures": failures}, [MESSAGE])


def test_batch__over_lambdas_limit_is_split() -> None:
    large = [{**MESSAGE, "Body": "x" * 1_000_000} for _ in range(10)]
    assert [len(part) for part in within_limits(large)] == [6, 4]
    assert list(within_limits([MESSAGE, MESSAGE])) == [[MESSAGE, MESSAGE]]
