"""The stored form of personalizations: plain JSON documents, and the way back."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.goals.documents import goal_document, goal_from
from abtest.domain.personalizations.model import Experience, Personalization, Rule
from abtest.kit.stored import Document, known, plain


def personalization_document(personalization: Personalization) -> Document:
    """The aggregate as JSON."""
    document = plain(personalization)
    document["experiences"] = [experience_document(experience) for experience in personalization.experiences]
    document["rules"] = [rule_document(rule) for rule in personalization.rules]
    document["goals"] = [goal_document(goal) for goal in personalization.goals]
    return document


def personalization_from(document: Mapping[str, Any]) -> Personalization:
    """The aggregate that a document holds. Raises TypeError when a field without default is missing."""
    found = known(Personalization, document)
    found["experiences"] = tuple(_experience(item) for item in document.get("experiences", ()))
    found["rules"] = tuple(Rule(**known(Rule, item)) for item in document.get("rules", ()))
    found["goals"] = tuple(goal_from(item) for item in document.get("goals", ()))
    return Personalization(**found)


def experience_document(experience: Experience) -> Document:
    """An experience as JSON."""
    return plain(experience)


def rule_document(rule: Rule) -> Document:
    """A rule as JSON."""
    return plain(rule)


def _experience(document: Mapping[str, Any]) -> Experience:
    found = known(Experience, document)
    found["mutations"] = tuple(document.get("mutations", ()))
    found["anti_flicker_selectors"] = tuple(document.get("anti_flicker_selectors", ()))
    return Experience(**found)
