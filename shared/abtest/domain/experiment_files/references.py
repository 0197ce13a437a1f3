"""Rules of pages and audiences in files: records of the shop by name, and rules by name instead of by id."""

import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from abtest.domain.experiment_files.shop_names import RecordKind, ShopNames
from abtest.kit.canonical_json import Json

Rule = Mapping[str, Json]
Report = Callable[[tuple[str | int, ...], str], None]
"""Takes the pointer of a problem below the list, and its message."""

MAX_RULES = 1000

_OWN_RULES = frozenset({"includeRules", "excludeRules", "rules"})


@dataclass(frozen=True, slots=True)
class Reference:
    """How the rules of a list name a record of the shop: by id in the API, by name in files."""

    kind: RecordKind
    id_field: str
    name_field: str
    noun: str


REFERENCES: Mapping[str, Reference] = {
    "pageRules": Reference("PAGE", "pageId", "page", "page"),
    "segmentRules": Reference("AUD", "audienceId", "audience", "audience"),
}
"""References by the list of a targeting."""


def shown_targeting(targeting: Mapping[str, Json] | None, names: ShopNames) -> Json:
    """Return a targeting as files have it."""
    if targeting is None:
        return None
    lists = {field: shown_rules(targeting[field], of, names) for field, of in REFERENCES.items() if field in targeting}
    return {**targeting, **lists}


def shown_rules(rules: Json, reference: Reference | None, names: ShopNames) -> Json:
    """Return rules as files have them: without their ids where each has a name of its own."""
    if not are_rules(rules):
        return rules
    named = [_by_name(rule, reference, names) for rule in rules]
    once = _keys_used_once(named, reference)
    return [
        {name: value for name, value in rule.items() if name != "id" or key_of(rule, reference) not in once}
        for rule in named
    ]


def resolved_targeting(
    targeting: Json, stored: Mapping[str, Json] | None, names: ShopNames, seed: str, report: Report
) -> Json:
    """Return a targeting of a file as the API has it, with the ids that its rules have in the stored one."""
    if not isinstance(targeting, Mapping):
        return targeting
    lists = {}
    for field, reference in REFERENCES.items():
        if field in targeting:
            known = (stored or {}).get(field)
            place = _below(report, field)
            lists[field] = resolved_rules(targeting[field], known, reference, names, f"{seed}/{field}", place)
    return {**targeting, **lists}


def resolved_rules(
    rules: Json, stored: Json, reference: Reference | None, names: ShopNames, seed: str, report: Report
) -> Json:
    """Return rules of a file as the API has them. A rule that is new gets an id that depends on `seed` and its name."""
    if not are_rules(rules):
        return rules
    before = [_by_name(rule, reference, names) for rule in stored] if are_rules(stored) else []
    known = {key_of(rule, reference): rule.get("id") for rule in before if rule.get("id")}
    once = _keys_used_once(rules, reference)
    resolved = []
    for index, rule in enumerate(rules):
        key = key_of(rule, reference)
        identified = dict(rule)
        if "id" not in rule and key in once:
            identified = {"id": known.get(key) or _id_of(f"{seed}/{key}"), **rule}
        elif "id" not in rule:
            report((index,), "needs a name that no other rule of the list has, or an id, which may be any UUID")
        resolved.append(_by_id(identified, reference, names, _below(report, index)))
    return resolved


def key_of(rule: Rule, reference: Reference | None) -> str | None:
    """Return what identifies a rule in a file: its name, else the record that it names."""
    name = rule.get("name")
    if isinstance(name, str) and name:
        return f"name {name}"
    if reference and _refers(rule, reference) and isinstance(rule[reference.name_field], str):
        return f"{reference.noun} {rule[reference.name_field]}"
    return None


def names_of_rules(rules: Sequence[Rule]) -> Mapping[str, str]:
    """Return the id of each rule by its name, of rules whose name no other has."""
    once = _keys_used_once(rules, None)
    return {str(rule["name"]): str(rule["id"]) for rule in rules if key_of(rule, None) in once and "id" in rule}


def are_rules(rules: Json) -> TypeGuard[Sequence[Rule]]:
    """Return whether a value is a list of objects that is not too long."""
    # A longer list is refused by the contract; here it would only take time.
    return (
        isinstance(rules, list | tuple) and len(rules) <= MAX_RULES and all(isinstance(rule, Mapping) for rule in rules)
    )


def _keys_used_once(rules: Sequence[Rule], reference: Reference | None) -> frozenset[str]:
    counted = Counter(key_of(rule, reference) for rule in rules)
    return frozenset(key for key, count in counted.items() if key is not None and count == 1)


def _refers(rule: Rule, reference: Reference) -> bool:
    # Rules may have properties that the service does not know, so a rule of its own may have one of this name.
    return reference.name_field in rule and reference.id_field not in rule and not _OWN_RULES & rule.keys()


def _by_name(rule: Rule, reference: Reference | None, names: ShopNames) -> Rule:
    record_id = rule.get(reference.id_field) if reference else None
    if reference is None or not isinstance(record_id, str) or reference.name_field in rule or _OWN_RULES & rule.keys():
        return rule
    name = names.name_of(reference.kind, record_id)
    if name is None:
        return rule
    kept = {field: value for field, value in rule.items() if field != reference.id_field}
    return {**kept, reference.name_field: name}


def _by_id(rule: dict[str, Json], reference: Reference | None, names: ShopNames, report: Report) -> dict[str, Json]:
    if reference is None or not _refers(rule, reference):
        return rule
    record_id = record_named(rule.pop(reference.name_field), reference, names, _below(report, reference.name_field))
    return rule if record_id is None else {**rule, reference.id_field: record_id}


def record_named(name: Json, reference: Reference, names: ShopNames, report: Report) -> str | None:
    """Return the id of the shop's record with this name; report that there is none, or several."""
    ids = names.ids_of(reference.kind, name) if isinstance(name, str) else ()
    if len(ids) == 1:
        return ids[0]
    if ids:
        report((), f"the shop has {len(ids)} of this name; write {reference.id_field} with the id of one instead")
    elif isinstance(name, str):
        report((), f"the shop has no {reference.noun} of this name; create it first")
    else:
        report((), f"must be the name of a {reference.noun} of the shop")
    return None


def _below(report: Report, step: str | int) -> Report:
    return lambda pointer, message: report((step, *pointer), message)


def _id_of(name: str) -> str:
    # Derived, so that a plan and its application give the rule the same id.
    return str(uuid.uuid5(uuid.NAMESPACE_URL, name))
