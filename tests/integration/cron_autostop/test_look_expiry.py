"""Time to live of looks: those of an hour expire, the state that decides does not."""

from datetime import UTC, datetime, timedelta
from typing import Any

from abtest.adapters.dynamo import DynamoLookStore
from abtest.adapters.dynamo.looks import MAX_HOURS
from tests.contract.test_looks import EXPERIMENT, look, state
from tests.support.moto_stack import AwsStack


def test_look_of_an_hour__expires_after_three_years_and_the_state_never(aws_stack: AwsStack) -> None:
    table, client = aws_stack.name("RollupsTable"), aws_stack.clients.dynamodb
    assert DynamoLookStore(table).put(state(1, 7), look(7))
    kinds: dict[str, dict[str, Any]] = {item["sk"]["S"]: item for item in client.scan(TableName=table)["Items"]}
    hour, decided = kinds["EPOCH#000001#LOOK#2026-02-03T09"], kinds["EPOCH#000001#LOOKS"]
    assert EXPERIMENT in hour["pk"]["S"]
    expiry = datetime.fromtimestamp(int(hour["expires"]["N"]), tz=UTC)
    assert expiry - datetime(2026, 2, 3, 9, 5, tzinfo=UTC) >= timedelta(days=3 * 365)
    assert expiry - datetime(2026, 2, 3, 9, 5, tzinfo=UTC) > timedelta(hours=MAX_HOURS)
    assert "expires" not in decided
    described = client.describe_time_to_live(TableName=table)["TimeToLiveDescription"]
    assert (described["AttributeName"], described["TimeToLiveStatus"]) == ("expires", "ENABLED")
