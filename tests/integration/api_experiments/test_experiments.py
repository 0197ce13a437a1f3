"""Experiments over HTTP: made, read, changed, copied, deleted, listed."""

from typing import Any

from tests.support.client import Client


def test_create__name_only__is_a_draft_with_control_and_variant(client: Client) -> None:
    answer = client.post("/experiments", {"name": "Headline"})
    assert answer.status == 201
    made = answer.json()
    assert made["status"] == "draft"
    assert (made["type"], made["counting_type"], made["experiment_type"]) == ("standard", "standard", "mutation")
    arms = [(arm["name"], arm["weight"], arm["is_control"]) for arm in made["variations"]]
    assert arms == [("Control", 0.5, True), ("Variant", 0.5, False)]
    assert made["linked_idea"] is None
    assert answer.headers["etag"] == 'W/"1"'
