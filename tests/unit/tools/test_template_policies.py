"""Policies of the catalog: each function may write the records of its own family, and no others."""

from dataclasses import replace
from typing import get_args

import pytest

from abtest.adapters.dynamo import keys
from abtest.domain.credentials.ingest_epochs import claim_name
from abtest.domain.identity.people import credential_claim, email_claim, invitation_claim
from abtest.domain.pages.addresses import route_name
from abtest.ports.catalog import CHILD_KINDS, Commit, Kind
from tests.support.memory.policed import PolicedCatalog
from tests.support.permissions import Need, allows
from tests.support.template import Stack
from tests.unit.aggregates.families import FAMILIES, SHOP, number_id

STACK = Stack.planned(endpoint="http://127.0.0.1:1")
STATEMENTS = {function.logical_id: STACK.statements(function.logical_id) for function in STACK.functions()}
TABLE = STACK.resolver.attributes["CatalogTable"]["Arn"]
MANAGEMENT = {name for name in STATEMENTS if name.startswith("Api")}
DECIDING = {"CronLaunch", "WorkerDecide"}
NAMING_NOTHING = DECIDING | {"WorkerPages", "WorkerScreenshots"}
"""Functions that change records of families, and never their names."""

PUBLISHING = (MANAGEMENT | DECIDING | {"WorkerPublish"}) - {
    "ApiAnalytics",
    "ApiAssets",
    "ApiIdentity",
    "ApiPages",
    "ApiWebhooks",
    "ApiWorkspace",
}

WRITERS: dict[Kind, set[str]] = {
    "EXP": {"ApiExperiments"} | DECIDING,
    "GOAL": {"ApiExperiments"},
    "KEY": {"ApiSettings"},
    "SHOP": {"ApiSettings"},
    "SET": {"ApiSettings", "WorkerProfiles"},  # the excerpts of brand files
    "FLAG": {"ApiFlags"},
    "PZN": {"ApiPersonalizations", "ApiExperiments"},  # a winner is shipped as a personalization
    "PAGE": {"ApiExperiments"},
    "AUD": {"ApiExperiments"},
    "GRP": {"ApiExperiments"},
    "DLT": {"ApiSettings"},
    "JOB": {
        "ApiAnalytics",
        "ApiAssets",
        "ApiExperiments",
        "ApiPages",
        "ApiSettings",
        "ApiWorkspace",
        "WorkerPages",
        "WorkerProfiles",
        "WorkerScreenshots",
        "WorkerExports",
        "WorkerRollup",
        "CronSweep",
    },
    "GUARD": {"WorkerDecide"},
    "HOOK": {"ApiWebhooks"},
    "USED": MANAGEMENT,
    "PUB": PUBLISHING,
    "BRIEF": {"ApiPages"},
    "LP": {
        "ApiPages",
        "WorkerPages",
        "WorkerPublish",
        "WorkerScreenshots",
    },  # WorkerPublish ends pages whose host was given up
    "LPV": {"ApiPages"},
    "LPP": {"ApiPages", "WorkerPublish"},
    "LPQ": {"ApiPages", "WorkerPages", "WorkerScreenshots"},
    "LPR": {"ApiPages", "WorkerPages", "WorkerScreenshots"},
    "ASSET": {"ApiAssets", "ApiPages", "CronSweep", "WorkerScreenshots"},  # a page that uses an asset is recorded there
    "FILE": {"ApiWorkspace"},
    "QUOTA": {"ApiAssets", "ApiWorkspace", "CronSweep", "WorkerScreenshots"},
    "TRASH": {"ApiAssets", "CronSweep", "WorkerScreenshots"},
    "SHOT": {"ApiExperiments", "WorkerScreenshots"},
    "MARK": {"ApiWorkspace"},
    "SEAL": {"CronSeals"},
    "PROF": {"ApiWorkspace", "WorkerProfiles"},
    "IDEA": {"ApiWorkspace", "ApiExperiments", "CronLaunch"},  # a launch moves the idea
    "LINK": {"ApiWorkspace", "ApiExperiments", "CronLaunch"},  # a launch moves ideas
    "BACKLOG": {"ApiWorkspace"},
    "USER": {"ApiIdentity"},
    "MEMBER": {"ApiIdentity"},
    "INVITE": {"ApiIdentity"},
}


def writers(pk: str, action: str = "PutItem") -> set[str]:
    """Functions that may write this partition of the catalog."""
    need = Need(f"dynamodb:{action}", TABLE, (pk,))
    return {name for name, statements in STATEMENTS.items() if allows(statements, need)}


def test_table__names_every_kind() -> None:
    assert set(WRITERS) == set(get_args(Kind))


@pytest.mark.parametrize("kind", WRITERS)
def test_records__are_written_by_functions_of_their_family_only(kind: Kind) -> None:
    parent_id = number_id(2) if kind in CHILD_KINDS else None
    assert writers(keys.heads(SHOP, kind, parent_id)) == WRITERS[kind]
    assert writers(keys.record(SHOP, kind, number_id(1), parent_id)) == WRITERS[kind]


def test_names__of_keys_and_hosts__are_written_by_settings_only() -> None:
    for name in ("KEY#0123456789ab", "DOMAIN#shop.example"):
        assert writers(keys.unique_name(None, name)[0]) == {"ApiSettings"}


def test_names__of_people__are_written_by_identity_only() -> None:
    for name in (email_claim("a@shop.example"), invitation_claim("0" * 64), credential_claim("x")):
        assert writers(keys.unique_name(None, name)[0]) == {"ApiIdentity"}


def test_addresses__of_landing_pages__are_written_by_their_functions_only() -> None:
    assert writers(keys.unique_name(None, route_name("shop.example", "/lamp"))[0]) == {"ApiPages", "WorkerPublish"}


def test_epochs__of_ingest_secrets__are_written_by_operators_only() -> None:
    assert writers(keys.unique_name(None, claim_name(SHOP))[0]) == set()


@pytest.mark.parametrize("name", FAMILIES)
def test_names__of_a_family__are_written_by_its_functions_only(name: str) -> None:
    family = FAMILIES[name]
    resource = family.resource
    owned = resource.names(family.make(1, SHOP))
    for claimed in owned.own:
        pk = keys.unique_name(SHOP, claimed)[0]
        assert writers(pk) == WRITERS[resource.kind] - NAMING_NOTHING, pk


def test_revisions__are_counted_by_functions_that_publish() -> None:
    assert writers(keys.revision(SHOP)[0], "UpdateItem") == PUBLISHING
    for kind in get_args(Kind):
        assert not writers(keys.heads(SHOP, kind), "UpdateItem")


def test_write__outside_of_the_policy__fails_the_tests_of_a_family() -> None:
    catalog, flags = PolicedCatalog(), FAMILIES["flags"]
    puts = [flags.resource.put(replace(flags.make(number, SHOP), version=1)) for number in (1, 2)]
    with catalog.under("ApiFlags"):
        catalog.commit(Commit(puts=puts[:1]))
    with pytest.raises(AssertionError, match="ApiPersonalizations lacks"), catalog.under("ApiPersonalizations"):
        catalog.commit(Commit(puts=puts[1:]))
