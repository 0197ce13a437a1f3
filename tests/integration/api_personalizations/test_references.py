"""Personalizations that name pages and audiences of the shop."""

from typing import Any

import pytest

from tests.integration.api_personalizations.conftest import Create
from tests.integration.api_personalizations.test_personalizations import UNKNOWN, path
from tests.support.client import Client

PAGE = {"pageRules": [{"id": UNKNOWN, "pageId": UNKNOWN}]}
AUDIENCE = {"segmentRules": [{"id": UNKNOWN, "audienceId": UNKNOWN}]}
PLACES = [(PAGE, "pageRules[0].pageId"), (AUDIENCE, "segmentRules[0].audienceId")]


@pytest.mark.parametrize(("targeting", "place"), PLACES)
def test_targeting__that_names_nothing_of_the_shop__is_422(
    create: Create, client: Client, targeting: dict[str, Any], place: str
) -> None:
    made = create()
    created = client.post("/personalizations", {"name": "x", "key": "x", "targeting": targeting})
    assert (created.status, created.paths) == (422, [f"targeting.{place}"])
    updated = client.patch(path(made), {"targeting": targeting})
    assert (updated.status, updated.paths) == (422, [f"targeting.{place}"])
    ruled = client.put(f"{path(made)}/rules", [{"experience_key": "default", "targeting": targeting}])
    assert (ruled.status, ruled.paths) == (422, [f"[0].targeting.{place}"])
