"""Their experiments as ours. Where their hash is version 1, which is not ours, the visitor is put where it puts them.

A config ships the hash's state after the seed, so there is a state for every place: their hash says in which bucket the
visitor is, and everything from there on is ours. Version 2 is our hash: there the state is that of their seed.
"""

from functools import lru_cache
from itertools import count as counted
from typing import Any

from abtest.domain.assignment.allocation import equal_weights, ranges
from abtest.domain.assignment.hash import BUCKETS, fold
from abtest.domain.assignment.lanes import buckets
from abtest.domain.targeting.urls import compile_rule, first_values, parse_address

Document = dict[str, Any]

NOW = 1766404800000
_AT_ONCE = 4096


def version_one(seed: str, value: str) -> float:
    """Their first hash: a thousand places."""
    return fold(value + seed) % 1000 / 1000


@lru_cache(maxsize=4096)
def state_with(unit: str, bucket: int) -> int:
    """A state that puts the unit into the bucket."""
    for start in counted(0, _AT_ONCE):
        found = list(buckets(unit, range(start, start + _AT_ONCE)))
        if bucket in found:
            return start + found.index(bucket)
    raise AssertionError("every bucket has a state")


def state_of(unit: str, seed: str, version: int) -> int:
    """The state with which our hash does what theirs does."""
    if version == 2:
        return fold(seed)
    return state_with(unit, round(version_one(seed, unit) * BUCKETS)) if unit else fold(seed)


def in_buckets(shares: list[list[float]]) -> list[list[int]]:
    """Their ranges as ours."""
    return [[round(start * BUCKETS), round(end * BUCKETS)] for start, end in shares]


def experiment_of(context: Document, theirs: Document, fallback: str | None = None) -> Document:
    """Their experiment as a config has it. Another hash attribute, or a fallback, makes it one by customer."""
    attribute = theirs.get("hashAttribute", "id")
    known = context.get("attributes", {})
    unit = known.get(attribute) or known.get(fallback) or ""
    weights = theirs.get("weights") or equal_weights(len(theirs["variations"]))
    shares = in_buckets(theirs["ranges"]) if "ranges" in theirs else ranges(weights, theirs.get("coverage", 1))
    version, seed = theirs.get("hashVersion", 1), str(theirs.get("seed", theirs["key"]))
    made: Document = {
        "id": theirs["key"],
        "epoch": theirs.get("bucketVersion", 0) + 1,
        "state": state_of(unit, seed, version),
        "variations": [{"id": f"variation {number}", "range": list(each)} for number, each in enumerate(shares)],
        **_group(theirs, unit),
    }
    if attribute != "id" or fallback:
        made["identity"] = "customer"
    if "condition" in theirs:
        made["audience"] = {"mode": "any", "in": [_inlined(theirs["condition"], context)], "out": []}
    if "urlPatterns" in theirs:
        rules = [dict(compile_rule(each["type"], each["pattern"])) for each in theirs["urlPatterns"]]
        made["pages"] = {"mode": "any", "in": [{"include": rules}], "out": []}
    return made


def _group(theirs: Document, unit: str) -> Document:
    """Their filter, else their namespace, as an exclusion group."""
    if "filters" in theirs:
        (only,) = theirs["filters"]
        return {
            "group": {"id": "filter", "epoch": 1, "state": fold(only["seed"]), "ranges": in_buckets(only["ranges"])}
        }
    if "namespace" in theirs:
        name, start, end = theirs["namespace"]
        return {"group": group(unit, name, start, end)}
    return {}


def group(unit: str, name: str, start: float, end: float) -> Document:
    """A namespace as a group: their hash places the visitor, our shares say who is in."""
    return {"id": name, "epoch": 1, "state": state_of(unit, f"__{name}", 1), "ranges": in_buckets([[start, end]])}


def _inlined(condition: Any, context: Document) -> Any:
    """A saved group by its members: a published config has no other."""
    if isinstance(condition, dict):
        saved = condition.get("$inGroup")
        inner = {"$in": context["savedGroups"][saved]} if saved else condition
        return {key: _inlined(operand, context) for key, operand in inner.items()}
    return condition


def question(context: Document, theirs: Document) -> Document:
    """Their run as a decision."""
    known = context.get("attributes", {})
    config = {"experiments": [experiment_of(context, theirs)] if theirs.get("active", True) else []}
    visitor = {"id": known.get("id"), "customer_id": known.get(theirs.get("hashAttribute")), "attributes": known}
    force = context.get("forcedVariations", {}) | forced_by_query(context.get("url", ""), theirs["key"])
    return {"config": config, "visitor": visitor, "url": context.get("url", "/"), "now": NOW, "force": force}


def forced_by_query(url: str, key: str) -> Document:
    """What the address wishes for. Theirs names the experiment by the parameter, ours by its value."""
    address = parse_address(url)
    query = first_values(address.search) if address else {}
    return {key: query[key]} if key in query else {}
