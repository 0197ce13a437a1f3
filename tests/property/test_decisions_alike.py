"""Random visitors of random configs are decided alike, and so is local time in every zone there is."""

import json
from collections.abc import Iterator
from random import Random
from typing import Any
from zoneinfo import available_timezones

from abtest.domain.targeting.weekdays import LocalTimes
from abtest.kit.time_zones import is_time_zone
from tests.support.sizes import sized
from tools.golden.answers import answers_to
from tools.golden.compare import answers
from tools.golden.questions.moments import moment
from tools.golden.shares import kinds_of_decision, shares

SEED = 20260101
CASES = sized(25_000, 5_000)
MOMENTS = sized(24, 6)
SETTLED = 1_735_000_000_000
"""The end of 2024: of the years before it all databases say the same."""
LEAST = {
    "active": 0.25,
    "inactive": 0.1,
    "forced": 0.04,
    "sticky": 0.1,
    "identity": 0.02,
    "cohort holdout": 0.1,
    "cohort active": 0.1,
    "cohort None": 0.1,
    "in its group": 0.05,
    "out of its group": 0.2,
    "shown": 0.1,
    "not shown": 0.1,
    "nobody": 0.02,
    "customer only": 0.01,
    "no address": 0.003,
    "flag on": 0.2,
    "flag rollout": 0.1,
    "flag targeting": 0.1,
    "flag dark": 0.05,
    "flag paused": 0.05,
}


def test_decisions__of_random_visitors__are_alike_in_both_languages() -> None:
    asked_of = list(answers("decide", SEED, CASES))
    assert len(asked_of) == CASES
    assert [each for each in asked_of if not each.agree] == []
    found = shares(asked_of, kinds_of_decision)
    assert {kind: found.get(kind, 0) for kind, least in LEAST.items() if found.get(kind, 0) < least} == {}


def test_local_time__of_every_zone_around_its_borders__is_what_the_other_language_shows() -> None:
    zones = sorted(filter(is_time_zone, available_timezones()))
    assert len(zones) > 400
    for each in answers_to("decide", questions_of_zones(zones)):
        assert each.agree
        missed = [key for key, flag in each.node["result"]["flags"].items() if flag["reason"] != "on"]
        assert missed == []


def questions_of_zones(zones: list[str]) -> Iterator[dict[str, Any]]:
    """A flag for each zone that is on when it is the time there that Python says it is."""
    random = Random(SEED)
    for _ in range(MOMENTS):
        now = min(moment(random), SETTLED)
        times = LocalTimes(now)
        flags = [_flag(zone, times.at(zone)) for zone in zones]
        yield {"config": {"experiments": [], "flags": flags, "zones": zones}, "visitor": "v", "url": "/", "now": now}


def _flag(zone: str, time: Any) -> dict[str, Any]:
    conditions = [{f"local.{zone}.{part}": {"$eq": time[part]}} for part in ("day", "hour", "time")]
    audience = {"mode": "all", "in": conditions, "out": []}
    return {
        "id": zone,
        "key": zone,
        "state": 0,
        "below": 10_000,
        "on": json.dumps(time),
        "off": None,
        "audience": audience,
    }
