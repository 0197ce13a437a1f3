"""The function as it is deployed: the template's handler on DynamoDB, as moto has it."""

from abtest.kit import canonical_json
from tests.support.handlers import fresh_handler
from tests.support.invocations import sample
from tests.support.moto_stack import AwsStack


def test_function__message_of_a_job_that_is_gone_and_one_that_is_not_readable__fails_the_latter(
    aws_stack: AwsStack,
) -> None:
    event = sample("worker_pages__unreadable")
    gone = canonical_json.dumps({"shop_id": "shop", "job_id": "job"})
    event["Records"].append({**event["Records"][0], "messageId": "gone", "body": gone})
    handler = fresh_handler(aws_stack, "WorkerScreenshots", "worker_screenshots")
    unreadable = event["Records"][0]["messageId"]
    assert handler(event, None) == {"batchItemFailures": [{"itemIdentifier": unreadable}]}
