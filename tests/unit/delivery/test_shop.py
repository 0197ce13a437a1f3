"""A whole shop compiled: its environments, holdout, groups, references, time zones, and what cannot be compiled."""

from typing import Any

from abtest.domain.assignment.hash import fold
from abtest.domain.delivery.config import Runtime, Stored, compile_config, compile_shop
from abtest.domain.exclusion_groups.model import Member
from abtest.domain.personalizations.model import Rule
from abtest.domain.targeting.compilation import References
from tests.support.any_json import any_json
from tests.support.delivered import (
    ON_PHONES,
    PHONES,
    flag,
    group,
    item_id,
    page_document,
    personalization,
)
from tests.support.storefronts import SHOP_ID, experiment, experiment_id, goal, shop

CART = {"include": [{"path": r"\/?cart\/?"}]}
SUNDAYS = {"excludedDays": ["sunday"], "timezone": "Europe/Berlin"}
DARK = {"days": ["sunday"], "zone": "Europe/Berlin"}


def config(environment: str = "production", **stored: Any) -> Any:
    runtime = Runtime(
        shop_id=SHOP_ID, environment=environment, currency="EUR", events_url="https://e.example", events_signature="s"
    )
    return compile_config(runtime, compile_shop(stored.pop("of", shop()), Stored(**stored)), 7)


# ------------------------------------------------------------------ environments


def test_environment__has_its_own_flags_and_personalizations_and_every_experiment() -> None:
    stored: Any = {
        "experiments": [experiment()],
        "flags": [flag(1), flag(2, environment_key="staging")],
        "personalizations": [personalization(1), personalization(2, environment_key="staging")],
        "of": shop(holdout_v1_enabled=True, holdout_pct=5),
    }
    production, staging = config("production", **dict(stored)), config("staging", **dict(stored))
    assert [each["key"] for each in production["flags"]] == ["flag-1"]
    assert [each["key"] for each in staging["flags"]] == ["flag-2"]
    assert [each["key"] for each in production["personalizations"]] == ["personalization-1"]
    assert [each["key"] for each in staging["personalizations"]] == ["personalization-2"]
    assert staging["runtime"]["environment"] == "staging"
    assert production["experiments"] == staging["experiments"] != []
    assert production["holdout"] == staging["holdout"]


def test_environments__in_use__are_those_of_flags_and_active_personalizations() -> None:
    flags = [
        flag(1, environment_key="active"),
        flag(2, environment_key="paused", status="paused"),
        flag(3, environment_key="draft", status="draft"),
        flag(4, environment_key="servers", delivery_type="api"),
    ]
    personalizations = [
        personalization(1, environment_key="personalized"),
        personalization(2, environment_key="paused-too", status="paused"),
    ]
    stored = Stored(flags=flags, personalizations=personalizations)
    assert stored.environments == {"active", "paused", "servers", "personalized"}


# ------------------------------------------------------------------ holdout and groups


def test_holdout__is_told_with_its_share_and_its_last_change() -> None:
    held = shop(holdout_v1_enabled=True, holdout_pct=7.5, holdout_config_epoch=1766275200000)
    assert config(of=held)["holdout"] == {
        "state": fold(f"holdout:{SHOP_ID}"),
        "below": 750,
        "epoch": 1766275200000,
    }


def test_holdout__never_changed__has_the_first_epoch() -> None:
    assert config(of=shop(holdout_v1_enabled=True))["holdout"] == {
        "state": fold(f"holdout:{SHOP_ID}"),
        "below": 0,
        "epoch": 1,
    }


def test_holdout__that_is_off__is_absent() -> None:
    assert "holdout" not in config(of=shop(holdout_v1_enabled=False, holdout_pct=5))


def test_group__is_told_in_each_member() -> None:
    members = (
        Member(experiment_id=experiment_id(1), share=0.5, ranges=((0, 2500), (5000, 7500))),
        Member(experiment_id=experiment_id(2), share=0, ranges=()),
    )
    made = group(*members, epoch=3)
    first, second, third = config(experiments=[experiment(1), experiment(2), experiment(3)], groups=[made])[
        "experiments"
    ]
    told = {"id": made.id, "epoch": 3, "state": fold(f"group:{made.id}")}
    assert first["group"] == {**told, "ranges": [[0, 2500], [5000, 7500]]}
    assert second["group"] == {**told, "ranges": []}
    assert "group" not in third


# ------------------------------------------------------------------ targeting of experiments


def test_experiment__with_targeting__delivers_it_compiled() -> None:
    targeting = {
        "segmentRules": [{"id": "s", "audienceId": "a1"}],
        "pageRules": [{"id": "r", "pageId": "p1"}, {"id": "q", "pageId": "gone"}],
        "surface": "checkout",
        "identity": "customer",
    }
    references = References(
        pages=any_json({"p1": page_document("/cart")}), audiences=any_json({"a1": {"rules": PHONES}})
    )
    made = experiment(targeting=targeting, weekday_schedule=SUNDAYS)
    (found,) = config(experiments=[made], references=references)["experiments"]
    assert found["pages"] == {"mode": "any", "in": [CART, {"include": [{"re": "[]"}]}], "out": []}
    assert found["audience"] == {"mode": "any", "in": [ON_PHONES], "out": []}
    assert (found["surface"], found["identity"], found["dark"]) == ("checkout", "customer", DARK)


def test_goal__on_a_page_by_reference__counts_there() -> None:
    made = experiment(goals=(goal(page_id="r"),), goal_page_rules=({"id": "r", "pageId": "p1"},))
    references = References(pages=any_json({"p1": page_document("/cart")}))
    assert config(experiments=[made], references=references)["experiments"][0]["goals"][0]["pages"] == CART


def local_time(zone: str) -> Any:
    condition = {"attribute": "local_hour", "timezone": zone, "operator": "gte", "value": 18}
    return {"segmentRules": [{"id": "s", "rules": {"operator": "and", "conditions": [condition]}}]}


def asking(zone: str) -> Any:
    return {"pageRules": [{"id": "r", **page_document("/x", advancedCondition={f"local.{zone}.hour": 1})}]}


def test_zones__are_those_that_anything_in_the_environment_asks_for() -> None:
    rule = Rule(id=item_id(90), experience_key="default", targeting=local_time("Asia/Tokyo"))
    page_rule = {"id": "r", **page_document("/x", advancedCondition={"local.America/Lima.day": "monday"})}
    found = config(
        experiments=[
            experiment(
                1, targeting=local_time("Europe/Berlin"), weekday_schedule={**SUNDAYS, "timezone": "Asia/Dubai"}
            ),
            experiment(2, goals=(goal(page_id="r"),), goal_page_rules=(page_rule,)),
        ],
        personalizations=[personalization(targeting=asking("Europe/Paris"), rules=(rule,))],
        flags=[
            flag(1, targeting=local_time("Europe/Berlin"), on_value={"local.UTC.hour": 1}),
            flag(2, environment_key="staging", targeting=local_time("Africa/Cairo")),
        ],
    )
    assert found["zones"] == ["America/Lima", "Asia/Tokyo", "Europe/Berlin", "Europe/Paris"]


# ------------------------------------------------------------------ what cannot be compiled

BROKEN: Any = {"pageRules": [{"id": "r"}]}


def test_items__that_cannot_be_compiled__are_left_out_alone_with_a_reason() -> None:
    stored = Stored(
        experiments=[experiment(1, targeting=BROKEN), experiment(2)],
        personalizations=[
            personalization(1, weekday_schedule={"days": 1}),
            personalization(2, priority=None),
            personalization(3),
        ],
        flags=[flag(1, targeting={"segmentRules": [{"rules": {"conditions": [{}]}}]}), flag(2)],
    )
    delivered = compile_shop(shop(), stored)
    assert [each["name"] for each in delivered.experiments] == ["Experiment 2"]
    assert [part.config["name"] for part in delivered.personalizations] == ["Personalization 3"]
    assert [part.config["key"] for part in delivered.flags] == ["flag-2"]
    assert [reason.split(":")[0] for reason in delivered.left_out] == [
        "'Experiment 1' is left out",
        "'Personalization 1' is left out",
        "'Personalization 2' is left out",
        "'Flag 1' is left out",
    ]
