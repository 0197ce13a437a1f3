"""Exceptions to the rules of checkov: each has a reason, and the check finds what is not or no longer excepted."""

import pytest

from tests.support.template import TEMPLATE
from tools.local.template.document import load
from tools.template_audit import EVERY, Exemption, Failure, complaints, exemptions, plain

EXEMPT = exemptions()
PUBLIC = Failure("CKV_AWS_53", "BlobsBucket", "block public ACLs")


@pytest.mark.parametrize("rule", EXEMPT)
def test_exception__has_a_reason_and_existing_resources(rule: str) -> None:
    assert len(EXEMPT[rule].reason.split()) >= 8
    assert EXEMPT[rule].reason.endswith(".")
    assert EXEMPT[rule].resources - {EVERY} <= load(TEMPLATE).resources.keys()


def test_failure__without_an_exception__is_reported() -> None:
    other = Exemption(frozenset({"LedgerBucket"}), "because")
    assert list(complaints([PUBLIC], {})) == ["BlobsBucket: CKV_AWS_53: block public ACLs"]
    assert list(complaints([PUBLIC, Failure("CKV_AWS_53", "LedgerBucket")], {"CKV_AWS_53": other})) == [
        "BlobsBucket: CKV_AWS_53: block public ACLs"
    ]


@pytest.mark.parametrize("resources", [{"BlobsBucket"}, {EVERY}])
def test_failure__with_an_exception__is_not_reported(resources: set[str]) -> None:
    assert not list(complaints([PUBLIC], {"CKV_AWS_53": Exemption(frozenset(resources), "because")}))


@pytest.mark.parametrize("resource", ["BlobsBucket", EVERY])
def test_exception__that_is_no_longer_needed__is_reported(resource: str) -> None:
    (line,) = complaints([], {"CKV_AWS_53": Exemption(frozenset({resource}), "because")})
    assert line == f"{resource}: CKV_AWS_53 is listed in template_audit.yaml, but holds"


def test_template__that_checkov_reads__has_no_loops() -> None:
    resources = plain(load(TEMPLATE))["Resources"]
    assert isinstance(resources, dict)
    assert not [name for name in resources if name.startswith("Fn::ForEach")]
    assert "EventQueueDeadLetters" in resources
