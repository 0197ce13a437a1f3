"""The third-party cases as questions to whoever implements ours: Python, Node and Chromium are asked the very same.

Each kind of case names the mode of the conformance tool that answers it, and builds its questions in the cases' order.
What of the cases is not ours is named, with the reason, in the tests that hold the answers against theirs.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from abtest.domain.assignment.allocation import equal_weights, ranges
from abtest.domain.assignment.hash import BUCKETS
from tests.unit.third_party.adapter import NOW, experiment_of, forced_by_query, group, in_buckets, question, state_with
from tests.unit.third_party.cases import ALL, URLS, Case, Document, named

# An experiment whose weights are not its variations' and do not sum to 1 cannot be launched, so nothing corrects them.
CORRECTED = {
    "weights sum below 1": "weights that do not sum to 1 cannot be launched",
    "weights sum above 1": "weights that do not sum to 1 cannot be launched",
    "weights.length not equal to num variations": "every variation has its weight",
}
RUNS_NOT_OURS = {
    "single variation": "an experiment has two variations or more",
    "negative forced variation": "no experiment forces everybody; a wish for no variation is none",
    "high forced variation": "no experiment forces everybody; a wish for no variation is none",
    "coverage take precendence over forced": "no experiment forces everybody",
    "Works in QA mode if forced in experiment": "no experiment forces everybody",
    "Skips experiments in QA mode": "a quality check sees what visitors see, unless it forces something",
    "globally disabled": "a switch of their SDK; ours is not on the page then",
    "querystring force with inactive": "what does not run is not published, so nothing is there to force",
    "Filtered, included": "an experiment is in one exclusion group, by one id",
    "Filtered, excluded": "an experiment is in one exclusion group, by one id",
    "Prerequisite condition passes": "their feature flags as conditions of experiments",
    "Prerequisite condition fails": "their feature flags as conditions of experiments",
}
STICKY_NOT_OURS = {
    "stops test enrollment when and existing sticky bucket is blocked by version": "a restart lets everybody in again",
    "skips assignment when sticky bucket version < experiment.minBucketVersion": "a restart lets everybody in again",
    "disables sticky bucketing when disabled by experiment": "every experiment of ours is sticky",
}

Edge = tuple[int, list[list[int]]]
"""A bucket, and the ranges of variations that it is looked up in."""


def runs() -> dict[str, Case]:
    """The runs that are ours, by name."""
    return {name: case for name, case in named("run").items() if name not in RUNS_NOT_OURS}


def stickies() -> dict[str, Case]:
    """The sticky cases that are ours, by name."""
    return {name: case for name, case in named("stickyBucket").items() if name not in STICKY_NOT_OURS}


def choices() -> list[Edge]:
    """Every number of `chooseVariation` with its ranges."""
    return [(round(number * BUCKETS), in_buckets(shares)) for _, number, shares, _ in ALL["chooseVariation"]]


def edges() -> list[Edge]:
    """Both sides of every cut point of `getBucketRange`.

    Cut points are made on the server alone; browsers are given them, so others are asked at their edges.
    """
    found: list[Edge] = []
    for name, (number, coverage, weights), _ in ALL["getBucketRange"]:
        if name not in CORRECTED:
            ours = [list(each) for each in ranges(weights or equal_weights(number), coverage)]
            found += [(at, ours) for each in ours for edge in each for at in (edge - 1, edge) if 0 <= at < BUCKETS]
    return found


def at_bucket(edge: Edge) -> Document:
    """Which variation a visitor of this bucket gets."""
    bucket, shares = edge
    variations = [{"id": f"v{number}", "range": share} for number, share in enumerate(shares)]
    return _decided({"id": "x", "epoch": 1, "state": state_with("visitor", bucket), "variations": variations})


def rule_of(case: Case) -> Document:
    """The one rule of the one feature of a sticky case, with its key."""
    (feature,) = case[1]["features"].items()
    rule: Document = feature[1]["rules"][0]
    return {"key": feature[0], **rule}


def _decided(*experiments: Document, visitor: Document | str = "visitor", url: str = "/", **more: Document) -> Document:
    return {"config": {"experiments": list(experiments)}, "visitor": visitor, "url": url, "now": NOW, **more}


def _hash(case: Case) -> Document:
    return {"seed": case[0], "value": case[1]}


def _condition(case: Case) -> Document:
    _, condition, attributes, _, *groups = case
    return {"condition": condition, "attributes": attributes, **({"groups": groups[0]} if groups else {})}


def _address(case: Case) -> Document:
    kind, url, pattern, _ = case
    return {"type": kind, "url": url, "pattern": pattern}


def _override(case: Case) -> Document:
    _, key, url, number, _ = case
    variations = [{"id": f"variation {each}", "range": [0, 0]} for each in range(number)]
    experiment = {"id": key, "epoch": 1, "state": 1, "variations": variations}
    return _decided(experiment, url=url, force=forced_by_query(url, key))


def _namespace(case: Case) -> Document:
    _, unit, namespace, _ = case
    variations = [{"id": "v", "range": [0, BUCKETS]}]
    experiment = {"id": "x", "epoch": 1, "state": 1, "variations": variations, "group": group(unit, *namespace)}
    return _decided(experiment, visitor=unit)


def _run(case: Case) -> Document:
    return question(case[1], case[2])


def _redirect(case: Case) -> Document:
    context = case[1]
    experiments = [experiment_of(context, theirs) for theirs in context["experiments"]]
    return _decided(*experiments, visitor="1", url=context["url"])


def _sticky(case: Case) -> Document:
    """Their hash attribute is our customer, their fallback our visitor."""
    _, context, stored, *_ = case
    rule, known = rule_of(case), context["attributes"]
    fallback = rule["fallbackAttribute"]
    visitor = {
        "id": known.get(fallback),
        "customer_id": known.get(rule["hashAttribute"]),
        "attributes": known,
        "sticky": _remembered(rule, known, stored),
    }
    return _decided(experiment_of(context, rule, fallback), visitor=visitor)


def _remembered(rule: Document, known: Document, stored: list[Document]) -> Document:
    """What this visitor's documents say, those of the hash attribute last: they win. Versions are our epochs."""
    own = [each for each in stored if known.get(each["attributeName"]) == each["attributeValue"]]
    seen: Document = {}
    for document in sorted(own, key=lambda each: each["attributeName"] == rule["hashAttribute"]):
        for name, variation in document["assignments"].items():
            key, _, version = name.rpartition("__")
            epoch = int(version) + 1
            seen[key if epoch == 1 else f"{key}:{epoch}"] = f"variation {variation}"
    return seen


@dataclass(frozen=True, slots=True)
class Asked:
    """A kind of cases: the conformance mode that answers, and the questions."""

    mode: str
    questions: Callable[[], list[Document]]


def _each(cases: Callable[[], list[Case]], build: Callable[[Case], Document]) -> Callable[[], list[Document]]:
    return lambda: [build(case) for case in cases()]


KINDS: Mapping[str, Asked] = {
    "hash": Asked("hash", _each(lambda: [case for case in ALL["hash"] if case[2] == 2], _hash)),
    "chooseVariation": Asked("decide", lambda: [at_bucket(each) for each in choices()]),
    "getBucketRange": Asked("decide", lambda: [at_bucket(each) for each in edges()]),
    "getQueryStringOverride": Asked("decide", _each(lambda: ALL["getQueryStringOverride"], _override)),
    "inNamespace": Asked("decide", _each(lambda: ALL["inNamespace"], _namespace)),
    "evalCondition": Asked("condition", _each(lambda: ALL["evalCondition"], _condition)),
    "url": Asked("url", _each(lambda: URLS, _address)),
    "run": Asked("decide", _each(lambda: list(runs().values()), _run)),
    "urlRedirect": Asked("decide", _each(lambda: ALL["urlRedirect"], _redirect)),
    "stickyBucket": Asked("decide", _each(lambda: list(stickies().values()), _sticky)),
}
"""All kinds that are asked; equal weights are made on the server alone."""
