"""The bundle as shoppers get it, in Node, decides as the server does: same config, visitor, page and moment."""

import json
from itertools import islice

from abtest.domain.delivery.sdk_parts import parts_of
from abtest.storefront import bundle
from tests.golden.bundle_questions import bundle_questions, expected_of
from tests.golden.bundles_in_node import answers

VISITS = 300
LEAST_SEEN = {"assignments": 60, "personalizations": 60, "flags": 120}


def test_bundle__on_random_pages_with_random_configs__decides_as_the_server() -> None:
    questions = list(islice(bundle_questions(), VISITS))
    assert len(questions) == VISITS
    bundles: dict[str, str] = {}
    for each in questions:
        names = parts_of(each["config"])
        each["bundles"] = ["+".join(sorted(names))]
        bundles[each["bundles"][0]] = bundle(names)
    seen = dict.fromkeys(LEAST_SEEN, 0)
    for question, (answer,) in zip(questions, answers(bundles, questions), strict=True):
        expected = json.loads(json.dumps(expected_of(question)))
        assert answer == expected, json.dumps(question)
        for kind in seen:
            seen[kind] += any(each is not None for each in answer[kind])
    assert {kind: count for kind, count in seen.items() if count < LEAST_SEEN[kind]} == {}
