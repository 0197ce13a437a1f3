"""The stored form, and what the audit says of a change."""

from dataclasses import replace
from typing import Any

from abtest.domain.changes.change import Change
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.transitions import Details, act
from abtest.kit import canonical_json
from abtest.kit.documents import decode, encode
from abtest.services.experiments.records import EXPERIMENTS
from tests.support.any_json import any_json
from tests.unit.experiments.examples import CONTROL, GOAL, OCCASION, TREATMENT, arm, experiment, goal


def there_and_back(document: Any) -> Any:
    return decode(Experiment, canonical_json.loads(canonical_json.encode(document)))


def test_document__everything_set__comes_back_the_same() -> None:
    asked = act(experiment(), "request-approval", OCCASION, Details(message="x"), approval_required=True).after
    assert asked is not None
    full = arm(
        replace(asked, targeting={"surface": "checkout"}, goal_page_rules=({"id": "x"},), scheduled_end_at="x"),
        1,
        url_blocks=({"id": "b"},),
        mutations=({"selector": "a", "action": "remove"},),
    )
    assert there_and_back(encode(full)) == full


def test_document__of_another_release__is_read_with_defaults() -> None:
    document = encode(experiment())
    del document["approvals"], document["measurement_epoch"], document["goal_page_rules"]
    assert there_and_back({**document, "from_the_future": 1}) == experiment()


def test_diff__code__is_told_by_hash_and_length() -> None:
    after = arm(replace(experiment(), name="Other"), 1, custom_css="secret { }")
    told = EXPERIMENTS.diff(Change(before=experiment(), after=after, action="x", note={"reason": "why"}))
    assert set(told) == {"name", f"variations.{TREATMENT}.custom_css", "reason"}
    assert told["name"] == ["Headline", "Other"]
    assert told["reason"] == [None, "why"]
    assert set(any_json(told)[f"variations.{TREATMENT}.custom_css"][1]) == {"sha256", "length"}
    assert "secret" not in canonical_json.dumps(told)


def test_diff__goals_reordered__tells_the_order_only() -> None:
    both = replace(experiment(), goals=(*experiment().goals, goal(id="b")))
    told = EXPERIMENTS.diff(Change(before=both, after=replace(both, goals=both.goals[::-1]), action="x"))
    assert told == {"goal_order": [[GOAL, "b"], ["b", GOAL]]}


def test_diff__enormous_change__stays_small() -> None:
    many = tuple(goal(id=f"g{n}", name="n" * 255, text_match="t" * 255, url_pattern="u" * 400) for n in range(50))
    told = EXPERIMENTS.diff(
        Change(before=None, after=replace(experiment(), goals=many, description="d" * 400), action="x")
    )
    assert len(canonical_json.encode(told)) < 200_000
    assert f"variations.{CONTROL}.name" in told
