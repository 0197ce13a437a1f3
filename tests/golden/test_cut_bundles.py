"""A bundle without the parts that a config does not call for decides as the whole one, on golden and random configs."""

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import pytest

from abtest.domain.delivery.sdk_parts import parts_of
from abtest.storefront import bundle, parts
from tests.browser.sdk.cut_cases import SHOP, cases
from tests.golden.bundles_in_node import answers
from tools.golden.questions.decisions import decision_questions

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]
RUNTIME = {"currency": "EUR", "events_url": "https://edge.example/events", "events_signature": "v1.k1.00"}
WHOLE = "whole"
SEED = 20260107
RANDOM = 400


def questions() -> Iterator[Json]:
    """Golden and random questions that a page gets, each experience with its own id as value."""
    golden = (ROOT / "tests" / "golden" / "decide.jsonl").read_text().strip().split("\n")
    lines = (json.loads(line)["inputs"] for line in golden)
    for question in chain(lines, decision_questions(Random(SEED), RANDOM)):
        if isinstance(question["visitor"], dict) and str(question.get("url")).startswith("https://shop.example/"):
            yield {
                "config": _with_values(question["config"]) | {"runtime": RUNTIME},
                "visitor": question["visitor"],
                "url": question["url"],
                "now": question["now"] if isinstance(question["now"], int) else 1766275200000,
            }


def _with_values(config: Json) -> Json:
    told = [
        each | {"experiences": [one | {"value": one["id"]} for one in each["experiences"]]}
        for each in config.get("personalizations") or []
    ]
    return {**config, "personalizations": told} if told else config


def test_cut_bundle__on_golden_configs__decides_as_the_whole_one() -> None:
    bundles = {WHOLE: bundle()}
    every = list(questions())
    for each in every:
        names = parts_of(each["config"])
        bundles["+".join(sorted(names))] = bundle(names)
        each["bundles"] = [WHOLE, "+".join(sorted(names))]
    found = answers(bundles, every)
    assert len(found) == len(every) >= 100
    assert len(bundles) >= 4
    for question, (whole, cut) in zip(every, found, strict=True):
        assert cut == whole, json.dumps(question)
    for kind in ("assignments", "flags", "personalizations"):
        assert sum(any(each is not None for each in whole[kind]) for whole, _ in found) >= 20, kind


def feature_questions() -> Iterator[Json]:
    """The configs of each feature, which tests/browser/sdk/test_cut_bundles.py shows to Chromium, to three visitors."""
    for address, _, config in cases():
        for visitor_id in ("0123456789abcdef0123456789abcdef", "f" * 32, ""):
            visitor = {"id": visitor_id, "attributes": {"country": "DE"}}
            yield {"config": config, "visitor": visitor, "url": f"{SHOP}{address}", "now": 1766275200000}


def test_cut_bundle__of_each_feature__decides_as_the_whole_one() -> None:
    bundles = {WHOLE: bundle()}
    every = list(feature_questions())
    for each in every:
        names = parts_of(each["config"])
        bundles["+".join(sorted(names))] = bundle(names)
        each["bundles"] = [WHOLE, "+".join(sorted(names))]
    for question, (whole, cut) in zip(every, answers(bundles, every), strict=True):
        assert cut == whole, json.dumps(question)
    assert len(bundles) > 30


def test_cut_bundle__without_what_the_config_calls_for__is_noticed() -> None:
    question = next(each for each in questions() if "flags" in each["config"])
    question["bundles"] = [WHOLE, "none"]
    ((whole, cut),) = answers({WHOLE: bundle(), "none": bundle(())}, [question])
    assert whole["flags"]
    assert cut != whole


@pytest.mark.parametrize("name", [None, *parts()])
def test_cut_bundle__of_one_part__has_no_marks_and_is_an_expression(name: str | None) -> None:
    text = bundle([] if name is None else [name])
    assert "/*" not in text
    assert text.startswith("(()=>{")
    assert text.endswith("})()")
    assert len(text) <= len(bundle())
