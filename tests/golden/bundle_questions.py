"""Questions that a page with the published bundle gets, and the answers that the server gives."""

from collections.abc import Iterator
from random import Random
from typing import Any

from abtest.kit import canonical_json
from tools.conformance.modes import decide_mode
from tools.golden.questions.decisions import decision_questions

Document = dict[str, Any]

SHOP = "https://shop.example/"
SEED = 20260103
QUESTIONS = 10_000
RUNTIME = {
    "currency": "EUR",
    "events_url": f"{SHOP}events",
    "events_signature": "v1.k1.00",
    "environment": "production",
}

# Conditions use these; a browser would report its own where a page does not.
KNOWN_TO_BROWSERS: Document = {"device": "tablet", "visits": 3}


def bundle_questions() -> Iterator[Document]:
    """Questions that a page can get: a real address, an id as the cookie has it, nothing remembered or fired."""
    for each in decision_questions(Random(SEED), QUESTIONS):
        if isinstance(each["visitor"], dict) and isinstance(each["url"], str) and each["url"].startswith(SHOP):
            visitor = each["visitor"] | {"sticky": {}, "triggers": [], "served": mark(each["visitor"])}
            given = visitor.get("attributes")
            if len(str(visitor.get("id"))) == 32 and isinstance(given, dict) and "customer_id" not in given:
                visitor["attributes"] = KNOWN_TO_BROWSERS | given
                if is_text(each["config"]):
                    yield {**each, "config": with_values(each["config"]), "visitor": visitor, "force": {}}


def mark(visitor: Document) -> Document:
    """The only mark that a page has; ids of experiments have no colons."""
    marks = visitor.get("served")
    listed = marks.items() if isinstance(marks, dict) else ()
    return dict([(name, marked) for name, marked in listed if ":" not in f"{name}{marked}"][:1])


def is_text(config: Document) -> bool:
    """Return whether it can be published: a file in UTF-8 has no halves of surrogate pairs."""
    try:
        canonical_json.encode(config)
    except ValueError:
        return False
    return True


def with_values(config: Document) -> Document:
    """Each experience with its own id as value, which shows a page which one was chosen."""
    those = config.get("personalizations", [])
    valued = [each | {"experiences": [one | {"value": one["id"]} for one in each["experiences"]]} for each in those]
    return {**config, "runtime": RUNTIME, "personalizations": valued}


def expected_of(question: Document) -> Document:
    """The same from the server's decision."""
    decided = decide_mode(question)
    shown = {each["personalization_id"]: each["experience_id"] for each in decided["personalizations"] if each["shown"]}
    config = question["config"]
    return {
        "visitor": question["visitor"]["id"],
        "assignments": [_as_the_page_sees_it(each) for each in decided["assignments"] if each["active"]],
        "flags": [decided["flags"][flag["key"]]["value"] for flag in config.get("flags", [])],
        "personalizations": [shown.get(each["id"]) for each in config["personalizations"]],
    }


def _as_the_page_sees_it(assignment: Document) -> Document:
    return {
        "experimentId": assignment["experiment_id"],
        "variationId": assignment["variation_id"],
        "variationIndex": assignment["variation_index"],
        "epoch": assignment["assignment_epoch"],
    }
