"""The decision that an explanation is about, for tests that hold it against `decide`."""

from typing import Any

from abtest.domain.targeting.excerpts import excerpt

Json = dict[str, Any]

ENTRIES = ("experiments", "personalizations", "flags")


def decided(explanation: Json) -> Json:
    """The decision that an explanation is about."""
    return {
        "assignments": [
            (each["id"], each["assigned"]["id"], each["assigned"]["index"], each["applied"], each["assigned"]["by"])
            for each in explanation["experiments"]
            if each["assigned"]
        ],
        "personalizations": [
            (each["id"], each["assigned"]["id"], each["assigned"]["key"], each["applied"])
            for each in explanation["personalizations"]
            if each["assigned"]
        ],
        "flags": {each["key"]: (each["value"], each["reason"], each["applied"]) for each in explanation["flags"]},
    }


def expected(decision: Json, inputs: Json) -> Json:
    """The same of the answer of `decide`."""
    served = {each["id"] for each in inputs["config"]["experiments"] if each.get("served")}
    return {
        "assignments": [
            (
                each["experiment_id"],
                each["variation_id"],
                each["variation_index"],
                each["active"],
                by(each, is_served=each["experiment_id"] in served),
            )
            for each in decision["assignments"]
        ],
        "personalizations": [
            (each["personalization_id"], each["experience_id"], each["experience_key"], each["shown"])
            for each in decision["personalizations"]
        ],
        "flags": {
            key: (excerpt(each["value"]), each["reason"], each["reason"] == "on")
            for key, each in decision["flags"].items()
        },
    }


def by(assignment: Json, *, is_served: bool) -> str:
    """The word for the way a variation was selected."""
    if assignment.get("forced"):
        return "forced"
    if is_served and assignment["active"]:
        return "served"
    return "sticky" if assignment.get("sticky") else "hash"


def steps(explanation: Json) -> set[str]:
    """The steps of all entries."""
    return {each["step"] for kind in ENTRIES for each in explanation[kind]}
