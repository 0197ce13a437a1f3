"""One question with its right answer, and the short words in which answers are written here."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Case:
    """Question for a mode of the conformance tool; `expected` is the picture of the answer."""

    about: str
    mode: str
    inputs: Document
    expected: Any


def picture(mode: str, result: Mapping[str, Any]) -> Any:
    """The answer in short words: a decision as lines, a signal without what it lacks, else the one value there is."""
    if mode == "signal":
        return _signal(result)
    return list(_lines(result)) if mode == "decide" else next(iter(result.values()))


def _signal(result: Mapping[str, Any]) -> Any:
    """Picture of a signal; false if the payload does not match."""
    summary: dict[str, Any] = {name: result[name] for name in ("properties", "mapped") if result[name]}
    if result["revenue"]:
        summary["revenue"] = {name: value for name, value in result["revenue"].items() if value not in (None, {})}
    if result["errors"]:
        summary["errors"] = [f"{error['path']} {error['message']}" for error in result["errors"]]
    return summary if result["matched"] else False


def _lines(result: Mapping[str, Any]) -> Iterator[str]:
    if result["cohort"]:
        yield f"cohort {result['cohort']}"
    yield from map(_assignment, result["assignments"])
    for each in result["personalizations"]:
        shown = "shown" if each["shown"] else "not shown"
        yield f"{each['personalization_id']}: {each['experience_key']} ({each['experience_id']}) {shown}"
    for key, flag in result["flags"].items():
        yield f"{key} = {json.dumps(flag['value'])}, {flag['reason']}"


def _assignment(each: Mapping[str, Any]) -> str:
    words = [f"{each['experiment_id']}: {each['variation_id']}, {each['variation_index']}"]
    words += ["active" if each["active"] else "inactive"]
    words += [word for word in ("forced", "sticky") if each.get(word)]
    words += ["by customer"] if each.get("identity") == "customer" else []
    words += ["control"] if each["is_control"] else []
    words += [f"epoch {each['assignment_epoch']}"] if each["assignment_epoch"] != 1 else []
    return " ".join(words)
