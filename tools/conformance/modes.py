"""Functions of each mode, from `inputs` to `result`."""

import marshal
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from abtest.domain.assignment.decide import Prepared, Visitor, decide, prepare, visitor_of
from abtest.domain.assignment.explanation import explain
from abtest.domain.assignment.hash import bucket, fold
from abtest.domain.signals.evaluation import evaluate
from abtest.domain.targeting.conditions import holds
from abtest.domain.targeting.urls import matches

_WITHOUT_REFERENCES = 0
"""The version of the format in which equal values have equal bytes."""

Mode = Callable[[Mapping[str, Any]], dict[str, Any]]


def hash_mode(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """`{"seed", "value"}` to `{"bucket": 0..9999}`."""
    return {"bucket": bucket(inputs["value"], _state(inputs["seed"]))}


def url_mode(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """`{"type": "simple" | "regex", "url", "pattern"}` to `{"matches": bool}`."""
    return {"matches": matches(inputs["type"], inputs["pattern"], inputs["url"])}


def condition_mode(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """`{"condition", "attributes", "groups"?}` to `{"matches": bool}`."""
    return {"matches": holds(inputs["condition"], inputs["attributes"], inputs.get("groups"))}


def decide_mode(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """`{"config", "visitor", "url", "now", "force"?}` to the whole answer of a decision.

    The visitor is a document or an id, `now` is Unix milliseconds or an ISO 8601 time.
    """
    return dict(decide(*_of_decision(inputs)).document())


def explain_mode(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """Inputs of `decide` to the explanation of every decision."""
    return dict(explain(*_of_decision(inputs)))


def signal_mode(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """`{"trigger", "payload"}` to what the payload means to the compiled trigger."""
    return evaluate(inputs["trigger"], inputs["payload"]).document()


MODES: Mapping[str, Mode] = {
    "hash": hash_mode,
    "url": url_mode,
    "condition": condition_mode,
    "decide": decide_mode,
    "explain": explain_mode,
    "signal": signal_mode,
}

_state = lru_cache(maxsize=1024)(fold)


def _of_decision(inputs: Mapping[str, Any]) -> tuple[Prepared, Visitor, str | None, float, Mapping[str, Any]]:
    return (
        _prepared(marshal.dumps(inputs["config"], _WITHOUT_REFERENCES)),
        visitor_of(inputs["visitor"]),
        inputs.get("url"),
        _milliseconds(inputs["now"]),
        inputs.get("force") or {},
    )


@lru_cache(maxsize=1024)
def _prepared(config: bytes) -> Prepared:
    """A config made ready once, however many lines repeat it; marshalled, since that costs a quarter of JSON."""
    return prepare(marshal.loads(config))  # noqa: S302 - what this process wrote itself


def _milliseconds(now: float | str) -> float:
    if not isinstance(now, str) or now.isdecimal():
        return float(now)
    moment = datetime.fromisoformat(now)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000
