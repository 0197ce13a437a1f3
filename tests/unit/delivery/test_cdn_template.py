"""The CDN of the template: what it keeps, whom it asks, and that a deployment without it knows nothing of it."""

import re
from typing import Any

import pytest

from abtest.edge.delivery import SNIPPET_BAR, SNIPPET_EDITOR, SNIPPET_PREVIEW, SNIPPET_QA
from tests.support.template import TEMPLATE, Stack
from tools.local.template.document import load

RESOURCES: dict[str, Any] = load(TEMPLATE).resources
CDN = RESOURCES["Cdn"]["Properties"]["DistributionConfig"]
BEHAVIOURS: dict[str, dict[str, Any]] = {each["PathPattern"]: each for each in CDN["CacheBehaviors"]}
CACHING_DISABLED = "4135ea2d-6df8-44a3-9df3-4b5a84be39ad"
ALL_BUT_HOST = "b689b0a8-53d0-40ab-baf2-68738e2966ac"
FUNCTIONS = {name: each for name, each in RESOURCES.items() if each["Type"] == "AWS::Serverless::Function"}
EDGE = {name for name, each in FUNCTIONS.items() if "'EdgeApi'" in str(each["Properties"].get("Events"))}


def planned(enabled: str) -> Stack:
    return Stack.planned(endpoint="http://127.0.0.1:1", parameters={"CdnEnabled": enabled})


def publishing() -> set[str]:
    """Functions that flip pointers, or routes of pages."""
    writes = (name for name, each in FUNCTIONS.items() if "s3:PutObject" in str(each["Properties"].get("Policies", [])))
    return {
        name
        for name in writes
        if re.search(r"\$\{DeliveryBucket.Arn\}/(pages/)?\*", str(FUNCTIONS[name]["Properties"].get("Policies", [])))
    } - EDGE


@pytest.mark.parametrize("path", ["/events", "/_svc/*", "/assign", "/api/preview*", "/health"])
def test_behaviour__of_what_is_one_persons__keeps_nothing_and_passes_cookies_on(path: str) -> None:
    if path in ("/events", "/_svc/*"):
        # A policy that forbids keeping altogether may not name headers: this one leaves it to the origin's no-store.
        assert BEHAVIOURS[path]["CachePolicyId"] == {"Ref": "CdnEventsCache"}
        policy = RESOURCES["CdnEventsCache"]["Properties"]["CachePolicyConfig"]
        assert (policy["MinTTL"], policy["DefaultTTL"], policy["MaxTTL"]) == (0, 0, 1)
        forwarded = policy["ParametersInCacheKeyAndForwardedToOrigin"]
        assert forwarded["HeadersConfig"]["Headers"] == ["CloudFront-Viewer-Country", "Authorization"]
    else:
        assert BEHAVIOURS[path]["CachePolicyId"] == CACHING_DISABLED
    assert BEHAVIOURS[path]["OriginRequestPolicyId"] == ALL_BUT_HOST
    assert "POST" in BEHAVIOURS[path]["AllowedMethods"]


def test_behaviours__of_chunks__come_before_those_of_snippets() -> None:
    order = list(BEHAVIOURS)
    assert order.index("/s/*/*") < order.index("/s/*")


@pytest.mark.parametrize("path", ["/s/*", "/s/*/*", "/api/exp"])
def test_behaviour__of_what_the_origin_compresses__passes_it_through(path: str) -> None:
    policy = RESOURCES[BEHAVIOURS[path]["CachePolicyId"]["Ref"]]["Properties"]["CachePolicyConfig"]
    keyed = policy["ParametersInCacheKeyAndForwardedToOrigin"]
    assert BEHAVIOURS[path]["Compress"] is False
    assert keyed["EnableAcceptEncodingBrotli"] is keyed["EnableAcceptEncodingGzip"] is True
    assert policy["MinTTL"] == 0  # what the origin keeps from caches, errors above all, is kept by none


def test_pages__are_cached_for_all_visitors_together() -> None:
    policy = RESOURCES[CDN["DefaultCacheBehavior"]["CachePolicyId"]["Ref"]]["Properties"]["CachePolicyConfig"]
    assert policy["MinTTL"] == 0  # origins forbid to keep a page with variants, and errors
    key = policy["ParametersInCacheKeyAndForwardedToOrigin"]
    assert key["CookiesConfig"] == {"CookieBehavior": "none"}
    assert key["HeadersConfig"]["Headers"] == ["x-svc-host"]
    # A click on an advertisement has an id of its own in the query.
    assert key["QueryStringsConfig"] == {"QueryStringBehavior": "whitelist", "QueryStrings": ["svc_force", "svc_qa"]}
    assert key["EnableAcceptEncodingBrotli"] is key["EnableAcceptEncodingGzip"] is True
    assert CDN["DefaultCacheBehavior"]["Compress"] is False


def test_pages__reach_the_origin_with_what_decides_about_variants() -> None:
    named = CDN["DefaultCacheBehavior"]["OriginRequestPolicyId"]["Ref"]
    policy = RESOURCES[named]["Properties"]["OriginRequestPolicyConfig"]
    assert policy["CookiesConfig"]["Cookies"] == ["svc_v"]
    assert set(policy["HeadersConfig"]["Headers"]) == {"x-svc-viewer", "x-svc-path", "User-Agent", "Accept"}
    assert policy["QueryStringsConfig"]["QueryStrings"] == ["svc_experiment_id", "svc_variation_id"]
    # The origin answers 405 to other methods.
    assert "POST" in CDN["DefaultCacheBehavior"]["AllowedMethods"]


@pytest.mark.parametrize("name", ["AssetsCdn", "Cdn", "PageCdn"])
def test_errors__are_not_kept_against_the_origins_will(name: str) -> None:
    responses = RESOURCES[name]["Properties"]["DistributionConfig"]["CustomErrorResponses"]
    assert {each["ErrorCode"] for each in responses} == {404, 405, 500, 502, 503, 504}
    assert all(each == {"ErrorCode": each["ErrorCode"], "ErrorCachingMinTTL": 0} for each in responses)


def test_snippets__reach_the_origin_with_what_makes_them_a_preview() -> None:
    policy = RESOURCES[BEHAVIOURS["/s/*"]["CachePolicyId"]["Ref"]]["Properties"]["CachePolicyConfig"]
    queries = policy["ParametersInCacheKeyAndForwardedToOrigin"]["QueryStringsConfig"]
    named = {SNIPPET_PREVIEW, SNIPPET_QA, SNIPPET_BAR, SNIPPET_EDITOR}
    assert set(queries["QueryStrings"]) == {"env", "environment", *named}
    # All of the config's parameters: among them the token.
    policy = RESOURCES[BEHAVIOURS["/api/exp"]["CachePolicyId"]["Ref"]]["Properties"]["CachePolicyConfig"]
    assert policy["ParametersInCacheKeyAndForwardedToOrigin"]["QueryStringsConfig"] == {"QueryStringBehavior": "all"}
    assert (policy["MinTTL"], policy["DefaultTTL"]) == (0, 0)


def test_caching__that_the_origin_demands__is_overridden_by_no_policy_of_headers() -> None:
    policies = [each for each in RESOURCES.values() if each["Type"] == "AWS::CloudFront::ResponseHeadersPolicy"]
    assert policies
    assert "Cache-Control" not in str(policies)


def test_every_behaviour__tells_the_shoppers_address() -> None:
    for behaviour in [CDN["DefaultCacheBehavior"], *CDN["CacheBehaviors"]]:
        events = {each["EventType"]: each["FunctionARN"] for each in behaviour["FunctionAssociations"]}
        assert events.pop("viewer-request") == {"Fn::GetAtt": ["CdnRequest", "FunctionARN"]}
        is_snippet = behaviour.get("PathPattern") == "/s/*"
        assert events == (
            {"viewer-response": {"Fn::GetAtt": ["CdnSnippetResponse", "FunctionARN"]}} if is_snippet else {}
        )


@pytest.mark.parametrize("name", ["Cdn", "ApiCdn", "AssetsCdn"])
def test_distribution__speaks_modern_protocols_only(name: str) -> None:
    config = RESOURCES[name]["Properties"]["DistributionConfig"]
    assert config["HttpVersion"] == "http2and3"
    assert "TLSv1.2_2021" in str(config["ViewerCertificate"])
    assert all(origin["CustomOriginConfig"]["OriginProtocolPolicy"] == "https-only" for origin in config["Origins"])
    assert config["Logging"]


def test_management_api__is_kept_by_nobody() -> None:
    behaviour = RESOURCES["ApiCdn"]["Properties"]["DistributionConfig"]["DefaultCacheBehavior"]
    assert behaviour["CachePolicyId"] == CACHING_DISABLED


def test_management_api__gets_the_viewers_address_with_its_proof() -> None:
    config = RESOURCES["ApiCdn"]["Properties"]["DistributionConfig"]
    assert config["Origins"][0]["OriginCustomHeaders"] == CDN["Origins"][0]["OriginCustomHeaders"]
    behaviour = config["DefaultCacheBehavior"]
    assert behaviour["FunctionAssociations"] == CDN["DefaultCacheBehavior"]["FunctionAssociations"]
    # A policy that names headers would have to name x-svc-viewer; this one forwards all of them.
    assert behaviour["OriginRequestPolicyId"] == ALL_BUT_HOST


def test_functions__that_require_the_cdn_or_limit_by_address__can_check_the_proof() -> None:
    served = {name for name, each in FUNCTIONS.items() if "'HttpApi'" in str(each["Properties"].get("Events"))}
    for name in served - {"EdgeHealth"}:  # it limits nothing by address, and answers checks of the origin itself
        assert "CdnSecret" in str(FUNCTIONS[name]["Properties"]["Environment"]["Variables"]["CDN_SECRET"]), name
    assert len(served) >= 12


def test_functions__that_publish__may_invalidate_and_no_others() -> None:
    may = {name for name, each in FUNCTIONS.items() if "cloudfront:CreateInvalidation" in str(each["Properties"])}
    assert may == publishing()
    assert len(may) >= 6
    for name in may:
        assert "DISTRIBUTION_ID" in FUNCTIONS[name]["Properties"]["Environment"]["Variables"]


def test_edge_functions__do_not_stand_on_the_distribution_that_stands_on_them() -> None:
    assert EDGE
    for name in EDGE:
        assert "'Cdn'" not in str(FUNCTIONS[name])


ORIGINS = {
    "CdnEnabled": "true",
    "EdgeOriginName": "edge-origin.example.com",
    "ApiOriginName": "api-origin.example.com",
    "OriginCertificateArn": "arn:aws:acm:us-east-1:000000000000:certificate/one",
    "WorkerBaseUrl": "https://edge.example.com",
    "ApiBaseUrl": "https://api.example.com/api/v1",
}


@pytest.mark.parametrize(
    ("parameters", "is_used", "is_only"),
    [
        ({"OriginStep": "only"}, False, False),
        ({"CdnEnabled": "true", "OriginStep": "only"}, False, False),
        ({**ORIGINS, "CdnEnabled": "false", "OriginStep": "only"}, False, False),
        (ORIGINS, False, False),
        ({**ORIGINS, "OriginStep": "used"}, True, False),
        ({**ORIGINS, "OriginStep": "only"}, True, True),
    ],
)
def test_addresses_of_apis__are_disabled_only_after_the_cdn_uses_another_way(
    parameters: dict[str, str], is_used: bool, is_only: bool
) -> None:
    resolver = Stack.planned(endpoint="http://127.0.0.1:1", parameters=parameters).resolver
    for api, cdn, name in (("EdgeApi", "Cdn", "EdgeOriginName"), ("ManagementApi", "ApiCdn", "ApiOriginName")):
        is_disabled = resolver.resolve(RESOURCES[api]["Properties"])["DisableExecuteApiEndpoint"]
        (origin,) = RESOURCES[cdn]["Properties"]["DistributionConfig"]["Origins"]
        assert is_disabled is is_only
        assert (resolver.resolve(origin)["DomainName"] == ORIGINS[name]) is is_used


@pytest.mark.parametrize("name", ["ApiOriginName", "OriginCertificateArn", "WorkerBaseUrl", "ApiBaseUrl", "CdnEnabled"])
def test_rule__origins_without_all_that_they_need__are_refused(name: str) -> None:
    rule = load(TEMPLATE).rules["OriginsAreComplete"]

    def holds(parameters: dict[str, str]) -> bool:
        resolver = Stack.planned(endpoint="http://127.0.0.1:1", parameters=parameters).resolver
        assert resolver.holds(rule["RuleCondition"])
        return all(resolver.holds(each["Assert"]) for each in rule["Assertions"])

    assert holds(ORIGINS)
    assert not holds({key: value for key, value in ORIGINS.items() if key != name})


@pytest.mark.parametrize("enabled", ["true", "false"])
def test_rule__requirement_of_the_cdn_without_one__is_refused(enabled: str) -> None:
    rule = load(TEMPLATE).rules["RequiredCdnExists"]
    parameters = {"CdnEnabled": enabled, "CdnRequired": "true"}
    resolver = Stack.planned(endpoint="http://127.0.0.1:1", parameters=parameters).resolver
    assert resolver.holds(rule["RuleCondition"])
    assert resolver.holds(rule["Assertions"][0]["Assert"]) is (enabled == "true")


@pytest.mark.parametrize("name", [name for name, each in RESOURCES.items() if "::CloudFront::" in each["Type"]])
def test_comment__is_not_longer_than_cloudfront_accepts(name: str) -> None:
    resolver = planned("true").resolver
    for config in (each for key, each in RESOURCES[name]["Properties"].items() if key.endswith("Config")):
        assert len(resolver.resolve(config).get("Comment", "")) <= 128


@pytest.mark.parametrize("required", ["true", "false"])
def test_requirement_of_the_cdn__reaches_functions_behind_it(required: str) -> None:
    parameters = {"CdnEnabled": "true", "CdnRequired": required}
    stack = Stack.planned(endpoint="http://127.0.0.1:1", parameters=parameters)
    for name in ("EdgeSnippet", "EdgeEvents", "EdgeAssets", "ApiFlags"):
        assert stack.environment(name)["CDN_REQUIRED"] == required


def test_deployment__without_the_cdn__has_none_and_trusts_no_header() -> None:
    stack = planned("false")
    assert not [each for each in stack.resources if each.logical_id.startswith("Cdn")]
    assert stack.environment("EdgeSnippet")["CDN_SECRET"] == ""
    assert stack.environment("WorkerPublish")["DISTRIBUTION_ID"] == ""


def test_deployment__with_the_cdn__tells_functions_of_it() -> None:
    stack = planned("true")
    assert stack.environment("EdgeSnippet")["CDN_SECRET"].startswith("{{resolve:secretsmanager:")
    assert stack.environment("WorkerPublish")["DISTRIBUTION_ID"]
    statements = stack.statements("WorkerPublish")
    assert [each for each in statements if each["Action"] == ["cloudfront:CreateInvalidation"]]


def test_hosts_of_customers__are_served_as_the_edge_serves_pages() -> None:
    config = RESOURCES["PageCdn"]["Properties"]["DistributionConfig"]
    assert config["ConnectionMode"] == "tenant-only"
    assert config["DefaultCacheBehavior"] == CDN["DefaultCacheBehavior"]
    assert config["Origins"] == CDN["Origins"]
    # CloudFront refuses these in a distribution of tenants.
    assert not {"Aliases", "IPV6Enabled", "PriceClass", "Logging"} & set(config)


def test_hosts_of_customers__are_off_by_default() -> None:
    names = {"PageCdn", "PageConnections"}
    assert not names & {each.logical_id for each in planned("true").resources}
    parameters = {"CdnEnabled": "true", "PageHostsEnabled": "true"}
    stack = Stack.planned(endpoint="http://127.0.0.1:1", parameters=parameters)
    assert names <= {each.logical_id for each in stack.resources}


@pytest.mark.parametrize("enabled", ["true", "false"])
def test_rule__hosts_of_customers_without_the_cdn__is_refused(enabled: str) -> None:
    rule = load(TEMPLATE).rules["PageHostsHaveCdn"]
    parameters = {"CdnEnabled": enabled, "PageHostsEnabled": "true"}
    resolver = Stack.planned(endpoint="http://127.0.0.1:1", parameters=parameters).resolver
    assert resolver.holds(rule["RuleCondition"])
    assert resolver.holds(rule["Assertions"][0]["Assert"]) is (enabled == "true")


@pytest.mark.parametrize("name", ["ApiPages", "WorkerPublish"])
def test_hosts_of_customers__are_known_to_what_publishes_pages(name: str) -> None:
    assert planned("true").environment(name)["PAGE_DISTRIBUTION_ID"] == ""
    parameters = {"CdnEnabled": "true", "PageHostsEnabled": "true"}
    stack = Stack.planned(endpoint="http://127.0.0.1:1", parameters=parameters)
    assert stack.environment(name)["PAGE_DISTRIBUTION_ID"]
    actions = ["cloudfront:CreateInvalidationForDistributionTenant", "cloudfront:GetDistributionTenantByDomain"]
    assert [each for each in stack.statements(name) if each["Action"] == actions]


def test_files__are_kept_for_ever_and_reach_the_origin_without_cookies() -> None:
    config = RESOURCES["AssetsCdn"]["Properties"]["DistributionConfig"]
    behaviour = config["DefaultCacheBehavior"]
    assert behaviour["CachePolicyId"] == {"Ref": "CdnChunkCache"}
    assert "OriginRequestPolicyId" not in behaviour
    assert config["Origins"][0]["DomainName"] == {
        "Fn::Sub": "${AssetsApi}.execute-api.${AWS::Region}.${AWS::URLSuffix}"
    }


def test_files__are_requested_with_the_proof_and_by_every_method() -> None:
    config = RESOURCES["AssetsCdn"]["Properties"]["DistributionConfig"]
    assert config["Origins"][0]["OriginCustomHeaders"] == CDN["Origins"][0]["OriginCustomHeaders"]
    # The origin answers 405 to other methods.
    assert config["DefaultCacheBehavior"]["AllowedMethods"] == CDN["DefaultCacheBehavior"]["AllowedMethods"]


@pytest.mark.parametrize("base", ["", "https://assets.example.com"])
def test_rule__requirement_of_the_cdn_without_an_address_of_files_on_it__is_refused(base: str) -> None:
    rule = load(TEMPLATE).rules["RequiredCdnExists"]
    parameters = {"CdnEnabled": "true", "CdnRequired": "true", "AssetsBaseUrl": base}
    resolver = Stack.planned(endpoint="http://127.0.0.1:1", parameters=parameters).resolver
    assert all(resolver.holds(each["Assert"]) for each in rule["Assertions"]) is (base != "")
