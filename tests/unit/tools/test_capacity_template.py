"""Capacity that template.yaml gives to APIs and functions: throttles, reservations, the web ACL."""

from typing import Any

import pytest

from abtest.services.event_limits import EVENTS_PER_WINDOW, EventLimits
from tests.support.template import TEMPLATE, Stack
from tools.local.template.document import load
from tools.local.template.intrinsics import Resolver, parameter_values

DOCUMENT = load(TEMPLATE)
FUNCTIONS = [name for name, each in DOCUMENT.resources.items() if each["Type"] == "AWS::Serverless::Function"]
ACL = "arn:aws:wafv2:us-east-1:123456789012:global/webacl/shops/a1b2"


def properties(name: str, **parameters: str) -> Any:
    """Properties of a resource under these parameters; the others have their defaults."""
    return Resolver(DOCUMENT, parameter_values(DOCUMENT, parameters)).resolve(DOCUMENT.resources[name]["Properties"])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function__has_a_reservation_only_where_its_group_is_given_one(name: str) -> None:
    reserved = "ReservedConcurrentExecutions"
    # Small accounts cannot reserve any; a default would make their deployment fail.
    assert reserved not in properties(name)
    given = {"ApiConcurrency": "7", "EdgeConcurrency": "9", "CronConcurrency": "5"}
    serves = "Api" if name == "ConsoleShell" else name  # on the host of the API, for the same people
    group = next((group for group in given if serves.startswith(group.removesuffix("Concurrency"))), "")
    assert properties(name, **given).get(reserved) == given.get(group)
    assert group or name.startswith("Worker")


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name.startswith("Cron")])
def test_cron__that_may_have_a_reservation__reads_no_queue(name: str) -> None:
    assert {each["Type"] for each in properties(name)["Events"].values()} == {"ScheduleV2"}


def test_routes__are_throttled__events_apart() -> None:
    given = {"ApiRequestsPerSecond": "11", "EdgeRequestsPerSecond": "12", "EventRequestsPerSecond": "13"}
    api, edge = properties("ManagementApi", **given), properties("EdgeApi", **given)
    assert api["DefaultRouteSettings"] == {"ThrottlingRateLimit": "11", "ThrottlingBurstLimit": "11"}
    assert edge["DefaultRouteSettings"] == {"ThrottlingRateLimit": "12", "ThrottlingBurstLimit": "12"}
    events = {"ThrottlingRateLimit": "13", "ThrottlingBurstLimit": "13"}
    assert edge["RouteSettings"] == {"ANY /events": events, "ANY /_svc/events": events}


def test_routes__with_settings_of_their_own__exist() -> None:
    routes = {
        route.key for function in Stack.planned(endpoint="http://127.0.0.1:1").functions() for route in function.routes
    }
    assert set(properties("EdgeApi")["RouteSettings"]) <= routes


@pytest.mark.parametrize("name", ["Cdn", "ApiCdn", "AssetsCdn"])
def test_web_acl__protects_each_distribution(name: str) -> None:
    assert "WebACLId" not in properties(name)["DistributionConfig"]
    assert properties(name, WafWebAclArn=ACL)["DistributionConfig"]["WebACLId"] == ACL


def test_limits_of_events__by_default__are_those_of_the_code() -> None:
    environment = properties("EdgeEvents")["Environment"]["Variables"]
    assert environment["BROWSER_EVENTS_PER_MINUTE"] == str(EventLimits.__dataclass_fields__["browser_events"].default)
    assert environment["SERVER_EVENTS_PER_MINUTE"] == str(EVENTS_PER_WINDOW)
