"""Protection in the template: stored truth outlives deletions, and alarms reach a receiver."""

import re
from pathlib import Path
from typing import Any

import pytest

from tools.local.template.document import load
from tools.local.template.intrinsics import Resolver, parameter_values

DOCUMENT = load(Path(__file__).parents[3] / "template.yaml")
RESOURCES = DOCUMENT.resources
BY_KIND: dict[str, list[str]] = {}
for _name, _resource in RESOURCES.items():
    BY_KIND.setdefault(_resource["Type"], []).append(_name)

PASSING = {"EphemeralTable"}
"""Tables whose items end by themselves."""

TABLES = sorted({*BY_KIND["AWS::DynamoDB::Table"]} - PASSING)
KEPT = [
    *TABLES,
    *BY_KIND["AWS::S3::Bucket"],
    *BY_KIND["AWS::KMS::Key"],
    "SigningSecret",
    "EventQueue",
    "EventQueueDeadLetters",
]


@pytest.mark.parametrize("name", KEPT)
def test_resource_that_holds_truth__outlives_the_stack(name: str) -> None:
    assert (RESOURCES[name]["DeletionPolicy"], RESOURCES[name]["UpdateReplacePolicy"]) == ("Retain", "Retain")


@pytest.mark.parametrize("name", TABLES)
def test_table__cannot_be_deleted_and_can_be_restored_to_any_moment(name: str) -> None:
    properties = RESOURCES[name]["Properties"]
    assert properties["DeletionProtectionEnabled"] is True
    assert properties["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}


@pytest.mark.parametrize("name", PASSING)
def test_table_without_protection__forgets_its_items_by_itself(name: str) -> None:
    assert RESOURCES[name]["Properties"]["TimeToLiveSpecification"]["Enabled"] is True


@pytest.mark.parametrize("name", sorted({*BY_KIND["AWS::S3::Bucket"]} - {"CdnLogBucket"}))
def test_bucket__keeps_old_versions_for_a_bounded_time(name: str) -> None:
    properties = RESOURCES[name]["Properties"]
    assert properties["VersioningConfiguration"] == {"Status": "Enabled"}
    everything = [rule for rule in properties["LifecycleConfiguration"]["Rules"] if rule["Prefix"] == ""]
    assert [rule for rule in everything if "NoncurrentVersionExpiration" in rule]


@pytest.mark.parametrize("prefix", ["state/", "partitions/", "listing/", "feed/", "manifests/"])
def test_ledger__keeps_old_versions_of_what_can_be_rebuilt_for_a_day(prefix: str) -> None:
    rules = RESOURCES["LedgerBucket"]["Properties"]["LifecycleConfiguration"]["Rules"]
    own = [rule["NoncurrentVersionExpiration"] for rule in rules if rule["Prefix"] == prefix]
    assert own == [{"NoncurrentDays": 1}]


@pytest.mark.parametrize("name", BY_KIND["AWS::S3::Bucket"])
def test_bucket__forgets_uploads_that_never_ended(name: str) -> None:
    rules = RESOURCES[name]["Properties"]["LifecycleConfiguration"]["Rules"]
    assert [rule for rule in rules if "AbortIncompleteMultipartUpload" in rule and rule["Prefix"] == ""]


EMAIL, TOPIC = "ops@shop.example", "arn:aws:sns:us-east-1:000000000000:alarms"


def resolver(email: str, topic: str) -> Resolver:
    return Resolver(DOCUMENT, parameter_values(DOCUMENT, {"AlarmEmail": email, "AlarmTopicArn": topic}))


@pytest.mark.parametrize(("email", "topic", "deploys"), [("", "", False), (EMAIL, "", True), ("", TOPIC, True)])
def test_stack__deploys_only_with_a_receiver_of_alarms(email: str, topic: str, deploys: bool) -> None:
    (assertion,) = DOCUMENT.rules["AlarmsReachSomeone"]["Assertions"]
    assert resolver(email, topic).holds(assertion["Assert"]) is deploys


@pytest.mark.parametrize("topic", ["", TOPIC])
def test_alarm_email__is_subscribed_to_the_topic_that_alarms_notify(topic: str) -> None:
    resolved = resolver(EMAIL, topic)
    assert resolved.holds(RESOURCES["AlarmTopic"]["Condition"]) is not bool(topic)
    assert resolved.holds(RESOURCES["AlarmSubscription"]["Condition"])
    subscription = resolved.resolve(RESOURCES["AlarmSubscription"]["Properties"])
    assert (subscription["Protocol"], subscription["Endpoint"]) == ("email", EMAIL)
    for name in BY_KIND["AWS::CloudWatch::Alarm"]:
        assert resolved.resolve(RESOURCES[name]["Properties"]["AlarmActions"]) == [subscription["TopicArn"]], name


def watched(name: str) -> list[tuple[str, Any]]:
    """Metric and dimension values that an alarm adds up."""
    # The functions of the browser exist only with its image, and so do their metrics.
    metrics = [each.get("Fn::If", [None, each])[1] for each in RESOURCES[name]["Properties"]["Metrics"]]
    parts = [each["MetricStat"]["Metric"] for each in metrics if "MetricStat" in each]
    return [(part["MetricName"], dimension["Value"]["Ref"]) for part in parts for dimension in part["Dimensions"]]


def test_throttles__of_every_function_have_an_alarm() -> None:
    alarms = [name for name in BY_KIND["AWS::CloudWatch::Alarm"] if name.endswith("ThrottledAlarm")]
    pairs = [pair for name in alarms for pair in watched(name)]
    assert sorted(pairs) == [("Throttles", name) for name in sorted(BY_KIND["AWS::Serverless::Function"])]
    assert all(len(watched(name)) <= 10 for name in alarms)  # CloudWatch refuses more


def test_queue_of_events__has_an_alarm_for_its_age_before_events_are_lost() -> None:
    alarm = RESOURCES["EventQueueAgeAlarm"]["Properties"]
    assert alarm["MetricName"] == "ApproximateAgeOfOldestMessage"
    assert alarm["Threshold"] < RESOURCES["EventQueue"]["Properties"]["MessageRetentionPeriod"]


@pytest.mark.parametrize("name", BY_KIND["AWS::Serverless::Function"])
def test_function_that_limits_requests__is_watched_for_a_limiter_that_does_not_respond(name: str) -> None:
    properties = RESOURCES[name]["Properties"]
    is_http = any(event["Type"] == "HttpApi" for event in properties["Events"].values())
    updates = any("dynamodb:UpdateItem" in str(each) and "EphemeralTable" in str(each) for each in statements(name))
    assert (f"{name}LimiterFilter" in RESOURCES) is (is_http and updates)


VPC = {"VpcSubnetIds": "subnet-1,subnet-2", "VpcSecurityGroupIds": "sg-1"}


CALLING_CUSTOMERS = {
    "ApiSettings",
    "EdgePreview",
    "WorkerPages",
    "WorkerProfiles",
    "WorkerScreenshots",
    "WorkerWebhooks",
}


@pytest.mark.parametrize("parameters", [{}, VPC])
def test_functions__that_call_customers__enter_a_vpc_where_one_is_given(parameters: dict[str, str]) -> None:
    resolved = Resolver(DOCUMENT, parameter_values(DOCUMENT, parameters))
    functions = {name: resolved.resolve(RESOURCES[name]["Properties"]) for name in BY_KIND["AWS::Serverless::Function"]}
    inside = {name for name, properties in functions.items() if "VpcConfig" in properties}
    assert inside == (CALLING_CUSTOMERS if parameters else set())
    for name in inside:
        assert functions[name]["VpcConfig"] == {"SubnetIds": ["subnet-1", "subnet-2"], "SecurityGroupIds": ["sg-1"]}


@pytest.mark.parametrize("given", [{}, *({name: VPC[name]} for name in VPC), VPC], ids=lambda each: "+".join(each))
def test_rule__half_of_a_vpc__is_refused(given: dict[str, str]) -> None:
    (assertion,) = DOCUMENT.rules["VpcIsComplete"]["Assertions"]
    assert Resolver(DOCUMENT, parameter_values(DOCUMENT, given)).holds(assertion["Assert"]) is (len(given) != 1)


@pytest.mark.parametrize(
    ("value", "fits"), [("", True), ("{}-0a1b,{}-2c", True), ("{}-0a1b, {}-2c", False), ("{}-0a1b,", False)]
)
@pytest.mark.parametrize(("name", "kind"), [("VpcSubnetIds", "subnet"), ("VpcSecurityGroupIds", "sg")])
def test_parameters__of_a_vpc__are_ids_without_spaces(name: str, kind: str, value: str, *, fits: bool) -> None:
    pattern = DOCUMENT.parameters[name]["AllowedPattern"]
    assert bool(re.fullmatch(pattern, value.replace("{}", kind))) is fits


@pytest.mark.parametrize(
    ("suffix", "adapter", "alarm_name"),
    [
        ("LimiterFilter", "dynamo/rate_limiter.py", "LimiterUnavailableAlarm"),
        ("MailFilter", "mail/ses.py", "MailFailedAlarm"),
    ],
)
def test_filter__looks_for_what_the_adapter_logs(suffix: str, adapter: str, alarm_name: str) -> None:
    logging = (Path(__file__).parents[3] / "shared/abtest/adapters" / adapter).read_text()
    named = [name for name in BY_KIND["AWS::Logs::MetricFilter"] if name.endswith(suffix)]
    filters = [RESOURCES[name]["Properties"] for name in named]
    (pattern,) = {each["FilterPattern"] for each in filters}
    assert pattern.strip('"') in logging
    alarm = RESOURCES[alarm_name]["Properties"]
    for each in filters:
        (metric,) = each["MetricTransformations"]
        assert (metric["MetricNamespace"], metric["MetricName"]) == (alarm["Namespace"], alarm["MetricName"])


def statements(name: str) -> list[Any]:
    return [each for policy in RESOURCES[name]["Properties"].get("Policies", []) for each in policy["Statement"]]
