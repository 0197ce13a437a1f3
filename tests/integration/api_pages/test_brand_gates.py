"""The brand context of a shop in the gates of its landing pages: at creation, at rendering, in QA runs."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.domain.brand.context import RECORD_ID, BrandContext, BrandVoice
from abtest.kit.documents import encode
from abtest.ports.catalog import Commit, Head, Put, Record
from tests.integration.api_pages.test_versions import SPEC, checks, create
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.landing import block
from tests.support.landing_qa import checked

VOICE = BrandVoice(adjectives=("warm",), we_always=("say you",), banned_phrases=("best seller",))
STRICT = BrandContext(mode="strict", summary="Lamps", voice=VOICE)
LOUD = {**SPEC, "blocks": [block("text", body="Our *best*-**SELLER**, in blue")]}
UNSUPPORTED = {"text": "48,000 lamps in use", "status": "unsupported"}


@pytest.fixture
def path(client: Client) -> str:
    """Address of the versions of a stored page."""
    page = client.post("/landing-pages", {"name": "Lamp", "slug": "lamp", "publish_path": "/lamp"}).json()
    return f"/landing-pages/{page['id']}/versions"


def store(api: MemoryApi, tenant: Tenant, context: BrandContext, version: int = 1) -> None:
    """Store a brand context."""
    now = api.world.now()
    head = Head(shop_id=tenant.shop.id, kind="SET", id=RECORD_ID, version=version, created_at=now, updated_at=now)
    put = Put(record=Record(head=head, body=encode(context)), expected_version=version - 1)
    api.world.catalog.commit(Commit(puts=[put]))


def test_banned_phrase__in_strict_mode__fails_the_gate_and_the_qa_run(
    api: MemoryApi, tenant: Tenant, client: Client, path: str
) -> None:
    store(api, tenant, STRICT)
    version: dict[str, Any] = create(api, client, path, spec=LOUD, claims=[UNSUPPORTED])
    assert (checks(version)["brand_banned_phrases"], checks(version)["claims_have_evidence"]) == ("fail", "fail")
    assert version["gate_report"]["passed"] is False
    run = checked(client, path.split("/")[2])
    errors = {each["check"]: each["message"] for each in run["findings"] if each["severity"] == "error"}
    assert errors == {
        "brand_banned_phrases": "the page has banned phrases: best seller",
        "claims_have_evidence": "1 claims have no evidence, 0 are not reviewed",
    }


def test_context__that_changes__holds_from_the_next_rendering(
    api: MemoryApi, tenant: Tenant, client: Client, path: str
) -> None:
    assert checks(create(api, client, path, spec=LOUD))["brand_banned_phrases"] == "pass"
    store(api, tenant, BrandContext(mode="strict"))
    client.post(f"{path}/1/render")
    assert checks(client.get(f"{path}/1").json())["brand_banned_phrases"] == "fail"
    store(api, tenant, BrandContext(mode="balanced", voice=VOICE), version=2)
    client.post(f"{path}/1/render")
    report = client.get(f"{path}/1").json()
    assert (checks(report)["brand_banned_phrases"], report["gate_report"]["passed"]) == ("warn", True)


def test_context__of_another_shop__does_not_matter(api: MemoryApi, client: Client, path: str) -> None:
    store(api, api.tenant("Stranger"), STRICT)
    assert checks(create(api, client, path, spec=LOUD))["brand_banned_phrases"] == "pass"
