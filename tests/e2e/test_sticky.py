"""A shop's server over the whole stack: weights change while it runs, and results report who came without sticky."""

from time import time
from typing import Any

import pytest
import requests

from tests.e2e.story import Story, new_shop

pytestmark = pytest.mark.stack
VISITORS = [f"visitor-{number}" for number in range(50)]
PAGE = "https://sticky.example/"


def tracking_key(story: Story) -> str:
    made = story.call("POST", "/api-keys", 201, name="Server", kind="tracking_source")
    return str(made["secret"])


def test_server__that_sends_sticky_back__moves_no_visitor_when_weights_change(stack: dict[str, Any]) -> None:
    story = new_shop(Story(stack), "sticky.example")
    headers, edge = {"Authorization": f"Bearer {tracking_key(story)}"}, stack["worker_base_url"]

    def assign(visitor: str, **sticky: str) -> Any:
        fields = {"user_id": visitor, "url": PAGE, **sticky}
        answer = requests.post(f"{edge}/assign", json=fields, headers=headers, timeout=10)
        assert answer.status_code == 200, answer.text
        return answer.json()

    goal = {"name": "Add to cart", "type": "custom", "event_name": "add_to_cart", "is_primary": True}
    made = story.call("POST", "/experiments", 201, name="Sticky", goals=[goal])
    story.call("POST", f"/experiments/{made['id']}/launch", override_checklist_warnings=True)
    story.await_delivery()
    first = {visitor: assign(visitor, sticky="") for visitor in VISITORS}
    control, treatment = (variation["id"] for variation in made["variations"])
    weights = {control: 0.12, treatment: 0.88}
    story.call("PUT", f"/experiments/{made['id']}/variations/weights", weights=weights, confirm_live_impact=True)
    story.await_delivery()
    kept = {visitor: assign(visitor, sticky=first[visitor]["sticky"]) for visitor in VISITORS}
    drawn = {visitor: assign(visitor) for visitor in VISITORS}
    assert moved(first, kept) == 0
    assert moved(first, drawn) > 8

    exposures = [exposure(visitor, kept[visitor]) for visitor in VISITORS[:30]]
    exposures += [exposure(visitor, drawn[visitor]) for visitor in VISITORS[30:37]]
    answer = requests.post(f"{edge}/events", json={"events": exposures}, headers=headers, timeout=10)
    assert answer.json()["ingested"] == 37, answer.text
    results = story.results(made["id"], visitors=37, conversions=0)
    assert results["without_sticky"] == 7


def moved(before: dict[str, Any], after: dict[str, Any]) -> int:
    """Number of visitors who have another variation."""
    return sum(
        before[visitor]["assignments"][0]["variation_id"] != after[visitor]["assignments"][0]["variation_id"]
        for visitor in before
    )


def exposure(visitor: str, answer: Any) -> dict[str, Any]:
    """The event with which a server reports an assignment."""
    (assignment,) = answer["assignments"]
    return {
        "type": "experiment_viewed",
        "visitorId": visitor,
        "ts": int(time() * 1000),
        "experimentId": assignment["experiment_id"],
        "variationId": assignment["variation_id"],
        "assignment_epoch": assignment["assignment_epoch"],
        "is_sticky": assignment["is_sticky"],
    }
