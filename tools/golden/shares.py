"""Shares of each kind of outcome in random questions, so that a comparison cannot be empty unseen."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from abtest.domain.assignment.hash import bucket
from tools.golden.answers import Answers

Document = Mapping[str, Any]


def shares(answers: Iterable[Answers], kinds: Any) -> dict[str, float]:
    """The share of questions whose answer has each kind of outcome; `kinds` names those of one answer."""
    total, seen = 0, Counter[str]()
    for each in answers:
        total += 1
        seen.update(set(kinds(each.question, each.python["result"])))
    return {kind: count / max(total, 1) for kind, count in seen.items()}


def kinds_of_condition(question: Document, result: Document) -> Iterator[str]:
    """Return whether the condition holds, and each of its operators with that result."""
    holds = "holds" if result["matches"] else "fails"
    yield holds
    for operator in _operators(question["condition"]):
        yield f"{operator} {holds}"


def _operators(condition: Any) -> Iterator[str]:
    inside = (
        condition.items()
        if isinstance(condition, dict)
        else enumerate(condition)
        if isinstance(condition, list)
        else ()
    )
    for key, operand in inside:
        if isinstance(key, str) and key.startswith("$"):
            yield key
        yield from _operators(operand)


def kinds_of_decision(question: Document, result: Document) -> Iterator[str]:
    """Outcomes of experiments, personalizations and flags, with their reasons."""
    yield f"cohort {result['cohort']}"
    for each in result["assignments"]:
        yield "active" if each["active"] else "inactive"
        yield from (how for how in ("forced", "sticky", "identity") if how in each)
    for each in result["personalizations"]:
        yield "shown" if each["shown"] else "not shown"
    for flag in result["flags"].values():
        yield f"flag {flag['reason']}"
    yield from _of_groups(question, result)
    yield from _of_visitor(question["visitor"])
    if not isinstance(question["url"], str):
        yield "no address"


def _of_groups(question: Document, result: Document) -> Iterator[str]:
    visitor, assigned = question["visitor"], {each["experiment_id"] for each in result["assignments"]}
    unit = visitor.get("id") if isinstance(visitor, dict) else None
    for each in question["config"]["experiments"]:
        if "group" in each and isinstance(unit, str):
            place = bucket(unit, each["group"]["state"])
            inside = any(start <= place < end for start, end in each["group"]["ranges"])
            yield (
                "in its group" if inside and each["id"] in assigned else "out of its group" if not inside else "neither"
            )


def _of_visitor(visitor: Any) -> Iterator[str]:
    known = visitor if isinstance(visitor, dict) else {"id": visitor}
    if not known.get("id"):
        yield "customer only" if known.get("customer_id") else "nobody"
