"""Experiment as files."""

from collections.abc import Iterator, Mapping

from abtest.domain.experiment_files import paths
from abtest.domain.experiment_files.guide import GUIDE_TEXT
from abtest.domain.experiment_files.part_names import block_names, folders_of, keys_of
from abtest.domain.experiment_files.references import names_of_rules, shown_rules, shown_targeting
from abtest.domain.experiment_files.shop_names import ShopNames
from abtest.domain.experiment_files.texts import Tree, code_text, document_text, json_text
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.experiments.schedule import due_start
from abtest.domain.goals.model import Goal
from abtest.kit.canonical_json import Json

GOAL_FIELDS: Mapping[str, Json] = {
    "name": None,
    "type": None,
    "role": "secondary",
    "direction": "increase",
    "event_name": None,
    "selector": None,
    "text_match": None,
    "url_pattern": None,
    "page_id": None,
    "count_once": True,
    "aggregation": "conversion",
    "numerator": None,
    "denominator": None,
    "winsorize_pct": None,
    "attribution_window_days": None,
    "filter": None,
    "capture": [],
}
"""Fields of a goal in files, with the values of absent ones; null for those that have no other default."""

_ALWAYS = frozenset({"name", "type", "role", "direction", "count_once", "aggregation", "attribution_window_days"})

EXPERIMENT_FIELDS: Mapping[str, Json] = {
    "name": None,
    "slug": None,
    "description": None,
    "owner_user_id": None,
    "counting_type": "standard",
    "delivery_type": "mutation",
    "traffic_allocation": 1.0,
    "store_url": None,
    "scheduled_start_at": None,
    "targeting": None,
    "goalPageRules": [],
    "results_weekdays": None,
    "sequential_testing_enabled": False,
    "auto_stop_override": None,
    "guardian_override": None,
}
"""Fields of experiment.json, next to the order of its variations, with the values of absent ones."""

VARIATION_FIELDS: Mapping[str, Json] = {"name": None, "weight": 0.0, "is_control": False, "redirect_url": None}
"""Fields of variation.json, next to the order of its blocks, with the values of absent ones."""

BLOCK_FIELDS = ("id", "name", "urlRules", "mutations")


def stored_value(experiment: Experiment, name: str) -> Json:
    """Return the value of a field of experiment.json, with ids instead of names."""
    if name == "scheduled_start_at":
        return due_start(experiment)  # a start that has happened is history, not design
    if name == "goalPageRules":
        return list(experiment.goal_page_rules)
    return getattr(experiment, name)


def files_of(experiment: Experiment, names: ShopNames) -> dict[str, str]:
    """Return the files of an experiment that people may edit, by path."""
    tree = {paths.EXPERIMENT: document_text(_experiment(experiment, names))}
    tree |= _code(paths.CODE, experiment)
    for folder, arm in folders_of(experiment):
        tree |= {paths.in_variation(folder, file): text for file, text in _variation(arm)}
    tree[paths.GOALS] = json_text(_goals(experiment, names))
    return dict(sorted(tree.items()))


def with_guide(tree: Tree) -> dict[str, str]:
    """Return the files together with those that are generated and cannot be edited."""
    return dict(sorted({**tree, paths.GUIDE: GUIDE_TEXT}.items()))


def _experiment(experiment: Experiment, names: ShopNames) -> dict[str, Json]:
    shown = {name: stored_value(experiment, name) for name in EXPERIMENT_FIELDS}
    shown["targeting"] = shown_targeting(experiment.targeting, names)
    shown["goalPageRules"] = shown_rules(experiment.goal_page_rules, None, names)
    order = [folder for folder, _ in folders_of(experiment)]
    return {"name": shown.pop("name"), "variations": order, **shown}


def _variation(arm: Variation) -> Iterator[tuple[str, str]]:
    fields = {name: getattr(arm, name) for name in VARIATION_FIELDS}
    blocks = list(arm.url_blocks or ())
    files = block_names([block["id"] for block in blocks])
    yield "variation.json", document_text({**fields, "url_blocks": None if arm.url_blocks is None else files})
    if arm.mutations:
        yield "mutations.json", json_text(arm.mutations)
    yield from _code(paths.VARIATION_CODE, arm).items()
    for name, block in zip(files, blocks, strict=True):
        own_id = {} if block["id"] == name else {"id": block["id"]}
        rest = {field: block[field] for field in ("name", "urlRules", "mutations")}
        yield f"blocks/{name}.json", json_text({**own_id, **rest})
        for part in ("css", "js"):
            code = block.get(part)
            text = code_text(code if isinstance(code, str) else None)
            if text is not None:
                yield f"blocks/{name}.{part}", text


def _code(files: Mapping[str, str], owner: Experiment | Variation) -> dict[str, str]:
    texts = {file: code_text(getattr(owner, field)) for file, field in files.items()}
    return {file: text for file, text in texts.items() if text is not None}


def _goals(experiment: Experiment, names: ShopNames) -> list[dict[str, Json]]:
    rules = {rule_id: name for name, rule_id in names_of_rules(experiment.goal_page_rules).items()}
    return [_goal(key, goal, rules, names) for key, goal in keys_of(experiment)]


def _goal(key: str, goal: Goal, rules: Mapping[str, str], names: ShopNames) -> dict[str, Json]:
    values = {name: getattr(goal, name) for name in GOAL_FIELDS}
    shown = {name: value for name, value in values.items() if name in _ALWAYS or value not in (None, ())}
    if goal.page_id in rules:
        shown["page"] = rules[shown.pop("page_id")]
    return {"key": key, **shown, **_shop_goal(goal, names)}


def _shop_goal(goal: Goal, names: ShopNames) -> dict[str, str]:
    """Return the mark of a goal that was taken over from the shop."""
    name = names.name_of("GOAL", goal.id)
    if name is not None:
        return {"shop_goal": name}
    return {"goal_id": goal.id} if names.has("GOAL", goal.id) else {}
