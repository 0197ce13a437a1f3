"""Random payloads mean the same to random data-layer triggers in both languages; what they came to is looked at too."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.support.sizes import sized
from tools.golden.compare import answers
from tools.golden.questions.signals import OPERATORS, TYPES
from tools.golden.shares import shares

SEED = 20260101
CASES = sized(20_000, 6_000)
LEAST = {
    "matched": 0.5,
    "not matched": 0.2,
    "revenue": 0.08,
    "no revenue": 0.1,
    "mapped": 0.15,
    "is missing": 0.2,
    "is no amount": 0.1,
    "is no json": 0.0005,
    **{f"is no {kind or 'scalar'}": 0.02 for kind in TYPES if kind != "json"},
    **{f"{kind or 'scalar'} read": 0.01 for kind in TYPES},
    **{f"{operator} {result}": 0.008 for operator in OPERATORS for result in ("matched", "not matched")},
}


def kinds(question: Mapping[str, Any], result: Mapping[str, Any]) -> Iterator[str]:
    """What came of a payload, and of what."""
    trigger = question["trigger"]
    matched = "matched" if result["matched"] else "not matched"
    yield matched
    yield from (f"{condition['op']} {matched}" for condition in trigger.get("when", ()))
    if "revenue" in trigger and result["matched"]:
        yield "revenue" if result["revenue"] else "no revenue"
    yield from (error["message"] for error in result["errors"])
    if result["mapped"]:
        yield "mapped"
    for mapping in trigger.get("mappings", ()):
        if mapping["to"] in result["mapped"]:
            yield f"{mapping.get('type', 'scalar')} read"


def test_signals__of_random_payloads__are_alike_in_both_languages() -> None:
    asked = list(answers("signal", SEED, CASES))
    assert len(asked) == CASES
    assert [each for each in asked if not each.agree] == []
    found = shares(asked, kinds)
    assert {kind: found.get(kind, 0) for kind, least in LEAST.items() if found.get(kind, 0) < least} == {}
