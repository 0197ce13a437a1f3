"""Laws of experiment files, over random designs with every kind of content (docs/experiment-files.md)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abtest.contract.experiments import ExperimentUpdate
from abtest.domain.changes.consent import Consent
from abtest.domain.delivery.experiments import compile_experiment
from abtest.domain.experiment_files.paths import GUIDE
from abtest.domain.experiment_files.plans import Plan, TreeEdit
from abtest.domain.experiment_files.rendering import EXPERIMENT_FIELDS, stored_value
from abtest.domain.experiments.model import Experiment
from abtest.domain.targeting.compilation import References
from abtest.kit import canonical_json
from abtest.kit.errors import ServiceError
from abtest.kit.json_objects import merged
from abtest.services.experiment_files.errors import TreeConflictError
from tests.support.designs import DesignShop, designs
from tests.support.sizes import sized

SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 2), st.sampled_from([0.5, 1.0, 1e300, -0.0, 2**60]), st.text(max_size=5)
)
VALUES = st.one_of(
    SCALARS,
    st.lists(SCALARS, max_size=2),
    st.dictionaries(st.sampled_from(["mode", "enabled", "days", "x"]), SCALARS, max_size=2),
    st.sampled_from(
        [
            "aa_test",
            "redirect",
            "https://s.example/x",
            "a-slug",
            "019c0000-0000-7000-8000-000000000001",
            "2026-05-01T09:00:00+02:00",
            "2020-01-01T00:00:00Z",
            {"mode": "off", "sequential": None},
            {"days": ["monday"], "timezone": "Europe/Berlin"},
            {"days": ["monday"], "timezone": "Europe/Nowhere"},
        ]
    ),
)
CONSENT = Consent(confirmed=True)
CASES = settings(
    max_examples=sized(1000, 15),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


def files(shop: DesignShop, experiment: Experiment) -> dict[str, str]:
    tree = shop.trees.read(shop.id, experiment.id).files
    return {path: text for path, text in tree.items() if path != GUIDE}


def replacing(before: dict[str, str], after: dict[str, str]) -> TreeEdit:
    return TreeEdit(files=list(after.items()), deletes=sorted(before.keys() - after.keys()))


def state(shop: DesignShop) -> tuple[Any, ...]:
    rows, _ = shop.catalog.audit(shop.id, entity_id=None, limit=1000)
    heads = shop.catalog.list(shop.id, "EXP", limit=100).heads
    return tuple(rows), tuple(heads), tuple(shop.catalog.get(shop.id, "EXP", head.id) for head in heads)


@CASES
@given(designs())
def test_plan__files_as_read__has_no_operations_and_changes_nothing(design: dict[str, Any]) -> None:
    shop = DesignShop()
    experiment = shop.create(design)
    before = state(shop)
    tree = files(shop, experiment)
    plan = shop.trees.plan(shop.caller, experiment.id, TreeEdit(files=list(tree.items())))
    assert (plan.ok, plan.operations, plan.errors, plan.warnings, plan.live_impact) == (True, [], [], [], ())
    assert state(shop) == before
    assert all(text.endswith("\n") for text in tree.values())


@CASES
@given(designs(), designs())
def test_apply__files_of_another_experiment__reads_back_byte_for_byte_in_one_row(
    one: dict[str, Any], other: dict[str, Any]
) -> None:
    shop, source = DesignShop(), DesignShop()
    experiment, copied = shop.create(one), source.create(by_unique_names(other))
    present, target = files(shop, experiment), files(source, copied)
    edit = replacing(present, target)
    before = state(shop)
    plan = shop.trees.plan(shop.caller, experiment.id, edit)
    assert plan.ok, plan.errors
    assert state(shop) == before
    changed = {path for path in present.keys() | target.keys() if present.get(path) != target.get(path)}
    assert {each.path for each in plan.operations} == changed
    applied = applied_plan(shop, experiment.id, edit, plan)
    assert files(shop, applied) == target
    rows = state(shop)[0]
    assert len(rows) == len(before[0]) + bool(changed)
    assert not changed or [row.diff["plan"] for row in rows if "plan" in row.diff] == [[None, plan.sha256]]
    after = state(shop)
    assert not shop.trees.apply(shop.caller, experiment.id, edit, str(plan.sha256), consent=CONSENT).changed
    assert state(shop) == after


@CASES
@given(designs())
def test_copy__into_another_shop__plans_cleanly_and_compiles_to_the_same_config(design: dict[str, Any]) -> None:
    source, shop = DesignShop(), DesignShop()
    experiment = source.create(by_unique_names(design))
    tree = files(source, experiment)
    edit = TreeEdit(files=list(source.trees.read(source.id, experiment.id).files.items()))
    plan = shop.trees.plan(shop.caller, None, edit)
    assert plan.ok, plan.errors
    assert not plan.warnings
    copy = shop.trees.create(shop.caller, edit, str(plan.sha256)).saved.value
    assert copy.id == plan.experiment_id
    assert files(shop, copy) == tree
    assert compiled(shop, copy) == compiled(source, experiment)
    assert not shop.trees.create(shop.caller, edit, str(plan.sha256)).changed


@CASES
@given(designs(), st.sampled_from(sorted(EXPERIMENT_FIELDS.keys() - {"goalPageRules", "targeting"})), VALUES)
def test_plan__any_value_of_any_field__is_accepted_exactly_if_the_api_accepts_it(
    design: dict[str, Any], name: str, value: Any
) -> None:
    bare = {key: item for key, item in design.items() if key not in ("auto_stop_override", "guardian_override")}
    shop, twin = DesignShop(), DesignShop()
    experiment, other = shop.create(bare), twin.create(bare)
    text = files(shop, experiment)["experiment.json"]
    document = {**canonical_json.loads(text), name: value}
    plan = shop.trees.plan(
        shop.caller, experiment.id, TreeEdit(files=[("experiment.json", canonical_json.ordered(document))])
    )
    try:
        body = ExperimentUpdate.model_validate({name: value})
        updated = twin.editor.update(twin.caller, other.id, body.provided(), consent=CONSENT).value
    except (ServiceError, ValueError):
        assert not plan.ok
        assert {each.path for each in plan.errors} == {"experiment.json"}
        assert all(each.line for each in plan.errors)
        return
    assert plan.ok, plan.errors
    edit = TreeEdit(files=[("experiment.json", canonical_json.ordered(document))])
    applied = applied_plan(shop, experiment.id, edit, plan)
    # An update merges objects, which drops the nulls inside; a file has them as they are.
    assert without_nulls(stored_value(applied, name)) == without_nulls(stored_value(updated, name))


@CASES
@given(
    designs(), st.sampled_from(["experiment.css", "reset.js", "goals.json", "variations/x/variation.json"]), st.text()
)
def test_plan__any_text_of_any_file__is_an_error_of_a_file_or_reads_back(
    design: dict[str, Any], path: str, text: str
) -> None:
    shop = DesignShop()
    experiment = shop.create(design)
    edit = TreeEdit(files=[(path, text)])
    before = state(shop)
    plan = shop.trees.plan(shop.caller, experiment.id, edit)
    assert state(shop) == before
    if plan.ok:
        tree = files(shop, applied_plan(shop, experiment.id, edit, plan))
        assert {each.path: each.after_sha256 for each in plan.operations}.keys() == {
            name for name in tree.keys() | plan_paths(plan) if name in plan_paths(plan)
        }
        assert path.endswith(".json") or tree.get(path, "").removesuffix("\n") == text.removesuffix("\n")


@CASES
@given(designs(), st.data())
def test_plan__any_value_in_the_place_of_any_other__is_an_error_with_a_line_or_reads_back(
    design: dict[str, Any], data: st.DataObject
) -> None:
    shop = DesignShop()
    experiment = shop.create(design)
    tree = files(shop, experiment)
    path = data.draw(st.sampled_from([path for path in tree if path.endswith(".json")]))
    document = canonical_json.loads(tree[path])
    places = [*nodes([document], 0, document)]
    holder, key = data.draw(st.sampled_from(places))
    root = [document]
    (root if holder is None else holder)[key] = data.draw(VALUES)
    edit = TreeEdit(files=[(path, canonical_json.ordered(root[0]))])
    before = state(shop)
    plan = shop.trees.plan(shop.caller, experiment.id, edit)
    assert state(shop) == before
    assert plan.ok or all(each.message for each in plan.errors)
    if plan.ok:
        applied = applied_plan(shop, experiment.id, edit, plan)
        present = files(shop, applied)
        assert {each.path for each in plan.operations} == {
            each for each in tree.keys() | present.keys() if tree.get(each) != present.get(each)
        }
        assert shop.trees.plan(shop.caller, experiment.id, TreeEdit(files=list(present.items()))).operations == []


def nodes(holder: Any, key: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place of a JSON value: what holds it, null for the root, and its key there."""
    yield (None, 0) if key == 0 and holder == [value] else (holder, key)
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in list(items):
        yield from nodes(value, name, inner)


@CASES
@given(designs())
def test_apply__after_a_foreign_change__is_refused_with_the_paths_that_moved(design: dict[str, Any]) -> None:
    shop = DesignShop()
    experiment = shop.create(design)
    edit = TreeEdit(files=[("experiment.css", "changed { }\n")])
    plan = shop.trees.plan(shop.caller, experiment.id, edit)
    shop.editor.update(shop.caller, experiment.id, {"description": "another"}, consent=CONSENT)
    before = state(shop)
    with pytest.raises(TreeConflictError) as refused:
        shop.trees.apply(shop.caller, experiment.id, edit, str(plan.sha256), consent=CONSENT)
    assert refused.value.facts["paths"] == ["experiment.json"]
    assert state(shop) == before


def without_nulls(value: Any) -> Any:
    return merged({}, value) if isinstance(value, dict) else value


def plan_paths(plan: Plan) -> set[str]:
    return {each.path for each in plan.operations}


def applied_plan(shop: DesignShop, experiment_id: str, edit: TreeEdit, plan: Plan) -> Experiment:
    return shop.trees.apply(shop.caller, experiment_id, edit, str(plan.sha256), consent=CONSENT).saved.value


def by_unique_names(value: Any) -> Any:
    """Return a design without the pages that have one name: another shop knows them by other ids."""
    if isinstance(value, list):
        return [by_unique_names(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: item % 2 if name == "pageId" else by_unique_names(item) for name, item in value.items()}


def compiled(shop: DesignShop, experiment: Experiment) -> Any:
    """Return the published form of an experiment, with numbers instead of ids."""
    references = References(
        pages={each: shop.catalog.get(shop.id, "PAGE", each).body for each in shop.pages},  # type: ignore[union-attr, misc]
        audiences={each: shop.catalog.get(shop.id, "AUD", each).body for each in shop.audiences},  # type: ignore[union-attr, misc]
    )
    form = dict(compile_experiment(experiment, references, {}))
    del form["state"]  # the seed of the assignment, which is a hash of the id
    text = canonical_json.dumps(form)
    known = [experiment.id, *(arm.id for arm in experiment.variations), *(goal.id for goal in experiment.goals)]
    known += [rule["id"] for rule in experiment.goal_page_rules] + shop.pages + shop.audiences
    for number, each in enumerate(known):
        text = text.replace(each, f"id-{number}")
    return re.sub(r"id-\d+", "id", text)
