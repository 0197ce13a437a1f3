"""The stored form of personalizations: plain JSON documents, and the way back.

As with experiments, fields that a document lacks have their defaults, and fields that this code does not know are
ignored: two releases run side by side during a deployment.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from abtest.domain.experiments.documents import goal_document, goal_from
from abtest.domain.personalizations.model import Experience, Personalization, Rule

Document = dict[str, Any]


def personalization_document(personalization: Personalization) -> Document:
    """The aggregate as JSON."""
    document = _plain(personalization)
    document["experiences"] = [experience_document(experience) for experience in personalization.experiences]
    document["rules"] = [rule_document(rule) for rule in personalization.rules]
    document["goals"] = [goal_document(goal) for goal in personalization.goals]
    return document


def personalization_from(document: Mapping[str, Any]) -> Personalization:
    """The aggregate that a document holds. Raises TypeError when a field without default is missing."""
    known = _known(Personalization, document)
    known["experiences"] = tuple(_experience(item) for item in document.get("experiences", ()))
    known["rules"] = tuple(Rule(**_known(Rule, item)) for item in document.get("rules", ()))
    known["goals"] = tuple(goal_from(item) for item in document.get("goals", ()))
    return Personalization(**known)


def experience_document(experience: Experience) -> Document:
    """An experience as JSON."""
    return _plain(experience)


def rule_document(rule: Rule) -> Document:
    """A rule as JSON."""
    return _plain(rule)


def _experience(document: Mapping[str, Any]) -> Experience:
    known = _known(Experience, document)
    known["mutations"] = tuple(document.get("mutations", ()))
    known["anti_flicker_selectors"] = tuple(document.get("anti_flicker_selectors", ()))
    return Experience(**known)


def _plain(value: Any) -> Document:
    return {field.name: _listed(getattr(value, field.name)) for field in fields(value)}


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _known(kind: type[Any], document: Mapping[str, Any]) -> Document:
    names = {field.name for field in fields(kind)}
    return {name: value for name, value in document.items() if name in names}
