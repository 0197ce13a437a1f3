"""The experiences of a personalization and the rules that choose among them: made, edited, taken away."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from abtest.domain.personalizations.model import Experience, Personalization, Rule
from abtest.domain.personalizations.rules import check_experience, check_rules
from abtest.domain.personalizations.shapes import ExperienceFields, RuleFields
from abtest.domain.rollouts.errors import KeyTakenError
from abtest.kit.errors import ConflictError, NotFoundError

_LISTS = ("mutations", "anti_flicker_selectors")


def make(given: ExperienceFields, experience_id: str, path: str = "") -> Experience:
    """Return an experience of the given fields; absent ones have their defaults."""
    made = Experience(id=experience_id, **fields_of(given))
    check_experience(made, path)
    return made


def add(personalization: Personalization, given: ExperienceFields, experience_id: str) -> Personalization:
    """Return the personalization with one more experience. Raises KeyTakenError."""
    made = make(given, experience_id)
    if any(made.key == other.key for other in personalization.experiences):
        raise KeyTakenError(f"the personalization has an experience with the key {made.key}")
    return replace(personalization, experiences=(*personalization.experiences, made))


def edit(personalization: Personalization, key: str, given: ExperienceFields) -> Personalization:
    """Return the personalization with one experience changed. It keeps its id, under which it is measured."""
    changed = replace(find(personalization, key), **fields_of(given))
    check_experience(changed)
    kept = (changed if item.key == key else item for item in personalization.experiences)
    return replace(personalization, experiences=tuple(kept))


def remove(personalization: Personalization, key: str) -> Personalization:
    """Return the personalization without the experience. Raises ConflictError for the last one and for one in use."""
    gone = find(personalization, key)
    if any(rule.experience_key == key for rule in personalization.rules):
        raise ConflictError("a rule names the experience: change the rules first")
    kept = tuple(item for item in personalization.experiences if item.id != gone.id)
    if not kept:
        raise ConflictError("a personalization keeps at least one experience")
    return replace(personalization, experiences=kept)


def with_rules(personalization: Personalization, given: Sequence[RuleFields], ids: Sequence[str]) -> Personalization:
    """Return the personalization with these rules in this order; a rule that stays as it was keeps its id."""
    before = [(replace(each, id=""), each) for each in personalization.rules]
    made = []
    for item, rule_id in zip(given, ids, strict=True):
        rule = Rule(id="", **item)
        known = next((pair for pair in before if pair[0] == rule), None)
        if known is not None:
            before.remove(known)
        made.append(known[1] if known else replace(rule, id=rule_id))
    check_rules(made, personalization.experiences)
    return replace(personalization, rules=tuple(made))


def find(personalization: Personalization, key: str) -> Experience:
    """Return the experience with this key. Raises NotFoundError."""
    for experience in personalization.experiences:
        if experience.key == key:
            return experience
    raise NotFoundError("no experience has this key")


def fields_of(given: ExperienceFields) -> dict[str, Any]:
    """Return the fields of an input as the model has them, lists as tuples."""
    fields: dict[str, Any] = {**given}
    return {name: tuple(value) if name in _LISTS else value for name, value in fields.items()}
