"""A bundle without the parts that a config does not call for decides as the whole one, on golden and random configs."""

import json
import subprocess
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from random import Random
from typing import Any

import pytest

from abtest.domain.delivery.sdk_parts import parts_of
from abtest.storefront import bundle, parts
from tools.golden.questions.decisions import decision_questions

Json = dict[str, Any]
ROOT = Path(__file__).parents[2]
RUNTIME = {"currency": "EUR", "events_url": "https://edge.example/events", "events_signature": "v1.k1.00"}
WHOLE = "whole"
SEED = 20260107
RANDOM = 400


def questions() -> Iterator[Json]:
    """Golden and random questions that a page can be asked, each experience with its own id as value."""
    golden = (ROOT / "tests" / "golden" / "decide.jsonl").read_text().strip().split("\n")
    lines = (json.loads(line)["inputs"] for line in golden)
    for asked in chain(lines, decision_questions(Random(SEED), RANDOM)):
        if isinstance(asked["visitor"], dict) and str(asked.get("url")).startswith("https://shop.example/"):
            yield {
                "config": _with_values(asked["config"]) | {"runtime": RUNTIME},
                "visitor": asked["visitor"],
                "url": asked["url"],
                "now": asked["now"] if isinstance(asked["now"], int) else 1766275200000,
            }


def _with_values(config: Json) -> Json:
    told = [
        each | {"experiences": [one | {"value": one["id"]} for one in each["experiences"]]}
        for each in config.get("personalizations") or []
    ]
    return {**config, "personalizations": told} if told else config


def answers(bundles: dict[str, str], asked: list[Json]) -> list[list[Json]]:
    """What each bundle of each question decides, in Node."""
    lines = [json.dumps({"bundles": bundles}), *map(json.dumps, asked)]
    found = subprocess.run(
        ["node", str(ROOT / "tests" / "sdk" / "answers_of_bundles.mjs")],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in found.stdout.strip().split("\n")]


def test_cut_bundle__on_golden_configs__decides_as_the_whole_one() -> None:
    bundles = {WHOLE: bundle()}
    asked = list(questions())
    for each in asked:
        names = parts_of(each["config"])
        bundles["+".join(sorted(names))] = bundle(names)
        each["bundles"] = [WHOLE, "+".join(sorted(names))]
    found = answers(bundles, asked)
    assert len(found) == len(asked) >= 100
    assert len(bundles) >= 4
    for question, (whole, cut) in zip(asked, found, strict=True):
        assert cut == whole, json.dumps(question)
    for kind in ("assignments", "flags", "personalizations"):
        assert sum(any(each is not None for each in whole[kind]) for whole, _ in found) >= 20, kind


def test_cut_bundle__without_what_the_config_calls_for__is_noticed() -> None:
    asked = next(each for each in questions() if "flags" in each["config"])
    asked["bundles"] = [WHOLE, "none"]
    ((whole, cut),) = answers({WHOLE: bundle(), "none": bundle(())}, [asked])
    assert whole["flags"]
    assert cut != whole


@pytest.mark.parametrize("name", [None, *parts()])
def test_cut_bundle__of_one_part__has_no_marks_and_is_an_expression(name: str | None) -> None:
    text = bundle([] if name is None else [name])
    assert "/*" not in text
    assert text.startswith("(()=>{")
    assert text.endswith("})()")
    assert len(text) <= len(bundle())
