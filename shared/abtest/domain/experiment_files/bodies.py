"""Bodies of requests that files stand for: creation of an experiment, or an update with the fields that differ."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from abtest.domain.experiment_files import paths
from abtest.domain.experiment_files.part_names import distinct, folders_of, is_name, keys_of, slug_of
from abtest.domain.experiment_files.positions import Pointer
from abtest.domain.experiment_files.reading import BLOCK_ORDER, ORDER, Sheets, refuse_unknown
from abtest.domain.experiment_files.references import (
    Reference,
    Report,
    are_rules,
    names_of_rules,
    record_named,
    resolved_rules,
    resolved_targeting,
)
from abtest.domain.experiment_files.rendering import (
    BLOCK_FIELDS,
    EXPERIMENT_FIELDS,
    GOAL_FIELDS,
    VARIATION_FIELDS,
    stored_value,
)
from abtest.domain.experiment_files.shop_names import ShopNames
from abtest.domain.experiment_files.texts import Tree, code_of
from abtest.domain.experiments.limits import MAX_GOALS
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.model import Goal
from abtest.kit.canonical_json import Json

_SHOP_GOAL = Reference("GOAL", "goal_id", "shop_goal", "goal")
_BEYOND_SHOP_GOAL = frozenset({"key", "shop_goal", "goal_id", "role", "is_primary"})
_NAMES_OF_GOALS = ("key", *GOAL_FIELDS, "page", "shop_goal", "goal_id", "is_primary", "currency_basis")


@dataclass(slots=True)
class Body:
    """Fields of ExperimentCreate or ExperimentUpdate, and how they relate to the files.

    `amendments` are changes to goals of the shop behind their attachment, which takes role and is_primary alone; they
    are items of an update, by the index of the goal.
    `without_redirect` are the folders whose file has no redirect: the API ignores its removal where nothing redirects.
    """

    fields: dict[str, Json] = field(default_factory=dict)
    amendments: dict[int, dict[str, Json]] = field(default_factory=dict)
    folders: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    without_redirect: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The experiment that files are compared with, and its files; nothing for a new one."""

    experiment_id: str
    experiment: Experiment | None
    tree: Tree

    def is_unchanged(self, tree: Tree, *places: str) -> bool:
        """Return whether the files at these paths are those of the experiment."""
        return self.experiment is not None and all(tree.get(path) == self.tree.get(path) for path in places)


def body_of(sheets: Sheets, base: Base, names: ShopNames) -> Body:
    """Return the body for files; what is wrong with them is added to the problems of the sheets."""
    body = Body(folders=list(sheets.folders))
    rules = _add_fields(body, sheets, base, names)
    _add_code(body, sheets.tree, base)
    _add_variations(body, sheets, base)
    _add_goals(body, sheets, base, names, rules)
    return body


def same(left: Json, right: Json) -> bool:
    """Return whether two values are the same JSON, a tuple being a list, and 1.0 being 1."""
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return len(left) == len(right) and all(same(*pair) for pair in zip(left, right, strict=True))
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return left.keys() == right.keys() and all(same(value, right[name]) for name, value in left.items())
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def _add_fields(body: Body, sheets: Sheets, base: Base, names: ShopNames) -> Mapping[str, str]:
    """Add the fields of experiment.json, and return the ids of its page rules for goals by their names."""
    document, before = sheets.document(paths.EXPERIMENT), base.experiment
    refuse_unknown(sheets, paths.EXPERIMENT, document, (ORDER, *EXPERIMENT_FIELDS))
    if before is not None and paths.EXPERIMENT in sheets.documents and "name" not in document:
        sheets.report(paths.EXPERIMENT, (), "name is required")
    given = {name: document.get(name, default) for name, default in EXPERIMENT_FIELDS.items()}
    targeting, goal_rules = _report_below(sheets, "targeting"), _report_below(sheets, "goalPageRules")
    stored = before.targeting if before else None
    given["targeting"] = resolved_targeting(given["targeting"], stored, names, base.experiment_id, targeting)
    known = before.goal_page_rules if before else ()
    seed = f"{base.experiment_id}/goalPageRules"
    given["goalPageRules"] = resolved_rules(given["goalPageRules"], known, None, names, seed, goal_rules)
    for name, value in given.items():
        if before is None:
            body.fields |= {name: value} if name in document else {}
        elif not same(value, stored_value(before, name)):
            body.fields[name] = value
    rules = given["goalPageRules"]
    return names_of_rules(rules) if are_rules(rules) else {}


def _add_code(body: Body, tree: Tree, base: Base) -> None:
    for file, name in paths.CODE.items():
        code = code_of(tree.get(file))
        if code != (getattr(base.experiment, name) or None if base.experiment else None):
            body.fields[name] = code


def _add_variations(body: Body, sheets: Sheets, base: Base) -> None:
    known = dict(folders_of(base.experiment)) if base.experiment else {}
    items = [_variation(sheets, base, folder, known.get(folder)) for folder in sheets.folders]
    body.without_redirect = [
        folder
        for folder in sheets.folders
        if sheets.document(paths.in_variation(folder, "variation.json")).get("redirect_url") is None
    ]
    is_same_order = list(known) == sheets.folders
    if base.experiment is None:
        body.fields |= {"variations": items} if items else {}
    elif not is_same_order or any(item.keys() != {"id"} for item in items):
        archived = ({"id": arm.id} for arm in base.experiment.variations if arm.archived_at is not None)
        body.fields["variations"] = [*items, *archived]


def _variation(sheets: Sheets, base: Base, folder: str, known: Variation | None) -> dict[str, Json]:
    """Return the item of a variation: all fields of a new one, those that differ of another."""
    mine = {path for path in (*sheets.tree, *base.tree) if path.startswith(f"variations/{folder}/")}
    if known is not None and base.is_unchanged(sheets.tree, *mine):
        return {"id": known.id}
    path = paths.in_variation(folder, "variation.json")
    document = sheets.document(path)
    refuse_unknown(sheets, path, document, (*VARIATION_FIELDS, BLOCK_ORDER))
    values = {name: document.get(name, default) for name, default in VARIATION_FIELDS.items()}
    values["mutations"] = sheets.items(paths.in_variation(folder, "mutations.json"))
    values["url_blocks"] = _blocks(sheets, folder) if document.get(BLOCK_ORDER) is not None else None
    for file, name in paths.VARIATION_CODE.items():
        values[name] = code_of(sheets.tree.get(paths.in_variation(folder, file)))
    if known is None:
        return {
            name: value for name, value in values.items() if name in document or value not in (None, [], 0.0, False)
        }
    changed = {name: value for name, value in values.items() if not same(value, _stored(known, name))}
    return {"id": known.id, **changed}


def _stored(arm: Variation, name: str) -> Json:
    value = getattr(arm, name)
    if name == "url_blocks" and value is not None:
        empty = {"css", "js"}
        return [{key: part for key, part in block.items() if part or key not in empty} for block in value]
    return value or None if name in paths.VARIATION_CODE.values() else value


def _blocks(sheets: Sheets, folder: str) -> list[dict[str, Json]]:
    blocks = []
    for name in sheets.blocks.get(folder, ()):
        path = paths.in_block(folder, name, "json")
        document = sheets.document(path)
        refuse_unknown(sheets, path, document, BLOCK_FIELDS)
        block = {"id": name, **document}
        for part in ("css", "js"):
            code = code_of(sheets.tree.get(paths.in_block(folder, name, part)))
            block |= {} if code is None else {part: code}
        blocks.append(block)
    return blocks


def _add_goals(body: Body, sheets: Sheets, base: Base, names: ShopNames, rules: Mapping[str, str]) -> None:
    known = dict(keys_of(base.experiment)) if base.experiment else {}
    if base.is_unchanged(sheets.tree, paths.GOALS, paths.EXPERIMENT):
        body.keys = list(known)
        return
    goals = sheets.items(paths.GOALS)
    if len(goals) > MAX_GOALS:
        sheets.report(paths.GOALS, (), f"must have at most {MAX_GOALS} goals")
        return
    documents = [_goal_document(sheets, index, item) for index, item in enumerate(goals)]
    body.keys = _goal_keys(sheets, documents)
    items = []
    for index, (key, document) in enumerate(zip(body.keys, documents, strict=True)):
        values = _with_page(sheets, index, document, rules)
        goal = known.get(key)
        items.append(
            _new_goal(body, sheets, index, values, names)
            if goal is None
            else _changed_goal(sheets, index, values, goal, names)
        )
    if base.experiment is None:
        body.fields |= {"goals": items} if items else {}
    elif list(known) != body.keys or any(item.keys() - {"id", "role"} for item in items) or _moved(items, known):
        archived = ({"id": goal.id} for goal in base.experiment.goals if goal.archived_at is not None)
        body.fields["goals"] = [*items, *archived]


def _moved(items: list[dict[str, Json]], known: Mapping[str, Goal]) -> bool:
    """Return whether a goal gets another role."""
    roles = {goal.id: goal.role for goal in known.values()}
    return any("role" in item and item["role"] != roles.get(str(item.get("id", ""))) for item in items)


def _goal_document(sheets: Sheets, index: int, item: Json) -> dict[str, Json]:
    if not isinstance(item, dict):
        sheets.report(paths.GOALS, (index,), "must be an object")
        return {}
    refuse_unknown(sheets, paths.GOALS, item, _NAMES_OF_GOALS, (index,))
    return {name: value for name, value in item.items() if name in _NAMES_OF_GOALS}


def _goal_keys(sheets: Sheets, documents: list[dict[str, Json]]) -> list[str]:
    """Return the key of each goal, derived from its name where the file has none."""
    given: list[str | None] = []
    for index, document in enumerate(documents):
        key = document.get("key")
        if key is not None and not is_name(key):
            sheets.report(paths.GOALS, (index, "key"), f"must be a name that {paths.NAME_RULE}")
        elif key is not None and key in given:
            sheets.report(paths.GOALS, (index, "key"), "is the key of another goal")
        given.append(key if is_name(key) else None)
    derived = [slug_of(str(document.get("name", "")), "goal") for document in documents]
    return distinct(list(zip(given, derived, strict=True)))


def _with_page(sheets: Sheets, index: int, document: dict[str, Json], rules: Mapping[str, str]) -> dict[str, Json]:
    """Return a goal with the id of the page rule that it names."""
    if "page" not in document:
        return document
    values = {name: value for name, value in document.items() if name != "page"}
    page = document["page"]
    if "page_id" in document:
        sheets.report(paths.GOALS, (index, "page"), "must not be given with page_id")
    elif not isinstance(page, str) or page not in rules:
        message = f"must be the name of one of goalPageRules of {paths.EXPERIMENT}, which no other of them has"
        sheets.report(paths.GOALS, (index, "page"), message)
    else:
        values["page_id"] = rules[page]
    return values


def _changed_goal(sheets: Sheets, index: int, values: dict[str, Json], goal: Goal, names: ShopNames) -> dict[str, Json]:
    """Return the item of a goal that the experiment has, with the fields that differ."""
    if _shop_goal_id(sheets, index, values, names) not in (None, goal.id):
        message = f"the goal {values.get('key')} is another one; give the goal of the shop a key of its own"
        sheets.report(paths.GOALS, (index, "shop_goal" if "shop_goal" in values else "goal_id"), message)
    is_shops = names.has("GOAL", goal.id)
    if is_shops and not {"shop_goal", "goal_id"} & values.keys():
        sheets.report(paths.GOALS, (index,), "is a goal of the shop; keep its shop_goal, or give the goal another key")
    return {"id": goal.id, **_differing(values, goal, names), **_role(values)}


def _new_goal(body: Body, sheets: Sheets, index: int, values: dict[str, Json], names: ShopNames) -> dict[str, Json]:
    """Return the item of a new goal. A goal of the shop that has other fields here gets them in a second step."""
    goal_id = _shop_goal_id(sheets, index, values, names)
    own = {name: value for name, value in values.items() if name not in ("key", "shop_goal", "goal_id")}
    if goal_id is None:
        return own
    kept = names.goal(goal_id)
    changed = _differing(values, kept, names) if kept is not None else {}
    if changed:
        body.amendments[index] = {"id": goal_id, **changed}
    return {"goal_id": goal_id, **_role(values)}


def _role(values: Mapping[str, Json]) -> dict[str, Json]:
    return {name: values[name] for name in ("role", "is_primary") if name in values}


def _shop_goal_id(sheets: Sheets, index: int, values: Mapping[str, Json], names: ShopNames) -> str | None:
    if "goal_id" in values:
        goal_id = values["goal_id"]
        return goal_id if isinstance(goal_id, str) else None
    if "shop_goal" not in values:
        return None
    return record_named(
        values["shop_goal"], _SHOP_GOAL, names, _report_below(sheets, index, "shop_goal", path=paths.GOALS)
    )


def _differing(values: Mapping[str, Json], goal: Goal, names: ShopNames) -> dict[str, Json]:
    """Return the fields of a goal in a file that differ from the goal, those that are absent having their default.

    A goal of the shop with no field of its own is taken as the shop has it.
    """
    if {"shop_goal", "goal_id"} & values.keys() and values.keys() <= _BEYOND_SHOP_GOAL:
        return {}
    defaults = {**GOAL_FIELDS, "name": goal.name, "type": goal.type, "attribution_window_days": names.window_days}
    given = {name: values.get(name, default) for name, default in defaults.items() if name != "role"}
    given |= {name: values[name] for name in ("currency_basis",) if name in values}
    return {name: value for name, value in given.items() if not same(value, getattr(goal, name))}


def _report_below(sheets: Sheets, *start: str | int, path: str = paths.EXPERIMENT) -> Report:
    def report(pointer: Pointer, message: str) -> None:
        sheets.report(path, (*start, *pointer), message)

    return report
